/**
 * Keys whose absence loses content without a problem, and rightly so: the programs leave them out where there is nothing
 * to say, or what stands in them has any shape. For each, the values that need no problem: `absent`, `null`, a type, or
 * `any`. All that is not listed here is named by its reader.
 */

const absent = ['absent', 'null']

/** The arguments of a call are the model's own words. */
const any = ['any']

/** A list of parts, or a text that is read as well. */
const text = ['string']

/** Usage of an inherited message that is no count is reported for the parent. */
const inherited = ['string', 'object', 'list', 'boolean']

export const optionalKeys: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  duragent: {
    // Not every provider counts.
    '<assistant_message>.usage': absent,
    '<assistant_response>.usage': absent,
    // The program leaves out an empty list.
    '<assistant_response>.tool_calls': absent,
    // What the model wrote, parsed.
    '<assistant_response>.tool_calls[].arguments': ['string', 'null'],
    '<assistant_response>.tool_calls[].arguments.**': any,
    '<tool_call>.arguments': ['string', 'null'],
    '<tool_call>.arguments.**': any,
  },
  forge: {},
  ikigai: {
    // There are none where the model did not think.
    '<tool_call>.data.redacted_thinking': absent,
    '<tool_call>.data.thinking': absent,
  },
  mimir: {},
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
  pi: {
    '<message>.message<assistant>.content': text,
    '<message>.message<custom>.content': text,
    '<message>.message<toolResult>.content': text,
    '<message>.message<user>.content': text,
    // A signature is there only where the provider gave one, and stands for the reasoning only at some.
    '<message>.message<assistant>.content[]<thinking>.thinkingSignature': absent,
    '<message>.message<assistant>.content[]<toolCall>.arguments.**': any,
    '<message>.message<assistant>.usage.cacheRead': inherited,
    '<message>.message<assistant>.usage.cacheWrite': inherited,
    '<message>.message<assistant>.usage.input': inherited,
    '<message>.message<assistant>.usage.output': inherited,
    // A command that was cancelled has none.
    '<message>.message<bashExecution>.exitCode': absent,
    // It is there only where the output was truncated.
    '<message>.message<bashExecution>.fullOutputPath': absent,
  },
}
