/**
 * Keys whose absence loses content without a problem, and rightly so: the programs leave them out where there is nothing
 * to say, or what stands in them has any shape. For each, the values that need no problem: `absent`, `null`, a type, or
 * `any`. All that is not listed here is named by its reader.
 */

const absent = ['absent', 'null']

/** The arguments of a call are the model's own words. */
const any = ['any']

/** A text stands for a list with one part. */
const text = ['string']

export const optionalKeys: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  atif: {
    'agent.tool_definitions': absent,
    'agent.tool_definitions[]<function>.**': any,
    'steps[]<user>.message': text,
    // Not every agent tells what its responses used, and not every API what came from a cache.
    'steps[]<agent>.metrics': absent,
    'steps[]<agent>.metrics.cached_tokens': absent,
    'steps[]<agent>.metrics.extra': absent,
    'steps[]<agent>.metrics.extra.cache_creation_input_tokens': absent,
    'subagent_trajectories[].steps[]<agent>.metrics': absent,
    // The last calls of a run that was cut off came to nothing.
    'steps[]<agent>.observation': absent,
    'steps[]<agent>.reasoning_content': absent,
    'steps[]<agent>.tool_calls[].arguments.**': any,
    'steps[]<user>.is_copied_context': absent,
    subagent_trajectories: absent,
  },
  'chatgpt-export': {
    // A node without a message, as the root is.
    '[].mapping.*.message': ['null'],
    'mapping.*.message': ['null'],
    // What was not given is null.
    'mapping.*.message<finished_successfully>.content<user_editable_context>.user_instructions': ['null'],
    'mapping.*.message<finished_successfully>.content<user_editable_context>.user_profile': ['null'],
    'mapping.*.message<finished_successfully>.content<tether_browsing_display>.result': ['null'],
    'mapping.*.message<finished_successfully>.content<tether_quote>.title': ['null'],
    'mapping.*.message<finished_successfully>.content<tether_quote>.url': ['null'],
    'mapping.*.message<finished_successfully>.content<thoughts>.thoughts[].content': ['null'],
    'mapping.*.message<finished_successfully>.content<thoughts>.thoughts[].summary': ['null'],
    // Marks that are there only where they are true.
    'mapping.*.message<finished_successfully>.metadata': absent,
    'mapping.*.message<finished_successfully>.metadata.is_user_system_message': absent,
  },
  'claude-ai-export': {
    '[].chat_messages[]<assistant>.content[]<tool_result>.content': text,
    // Some calls have no id; their results, which are behind them, have none either.
    '[].chat_messages[]<assistant>.content[]<tool_use>.id': absent,
    '[].chat_messages[]<assistant>.content[]<tool_use>.input.**': any,
    // A file without text.
    '[].chat_messages[]<human>.attachments[].extracted_content': ['null'],
    '[].chat_messages[]<human>.files': absent,
  },
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
  sharegpt: {
    '[].conversation[].system': absent,
    '[].history': absent,
    '[].input': absent,
    '[].system': absent,
    system: absent,
    tools: [...absent, 'list'],
  },
}
