/**
 * Keys whose absence loses content without a problem, and rightly so: the programs leave them out where there is nothing
 * to say, or what stands in them has any shape. For each, the values that need no problem: `absent`, `null`, a type, or
 * `any`. All that is not listed here is named by its reader.
 */

const absent = ['absent', 'null']

/** The arguments of a call are the model's own words. */
const any = ['any']

export const optionalKeys: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  opencode: {
    // Older versions wrote no counts.
    'messages[].info<assistant>.tokens': absent,
    'messages[].info<assistant>.tokens.cache': absent,
    'messages[].info<assistant>.tokens.reasoning': absent,
    // A mark that is there only where it is true.
    'messages[].info<assistant>.summary': absent,
    'messages[].parts[]<text>.synthetic': absent,
    'messages[].parts[]<tool>.state<completed>.attachments': absent,
    // Each provider has keys of its own in it.
    'messages[].parts[]<reasoning>.metadata': absent,
    'messages[].parts[]<reasoning>.metadata.**': any,
    'messages[].parts[]<tool>.state<completed>.input.**': any,
    'messages[].parts[]<tool>.state<running>.input.**': any,
    'messages[].parts[]<tool>.state<error>.input.**': any,
  },
}
