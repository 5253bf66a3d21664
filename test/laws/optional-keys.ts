/**
 * Keys whose absence loses content without a problem, and rightly so: the programs leave them out where there is nothing
 * to say, or what stands in them has any shape. For each, the values that need no problem: `absent`, `null`, a type, or
 * `any`. All that is not listed here is named by its reader.
 */

const absent = ['absent', 'null']

/** The arguments of a call are the model's own words, and the definitions of tools are sent as they are. */
const any = ['any']

/** Content is a text or parts: either is right in the place of the other. */
const text = ['string']

export const optionalKeys: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'anthropic-messages': {
    '**.content': text,
    '**.input.**': any,
    // Arguments that a stream did not finish.
    '**<tool_use>.input': text,
    // A tool that returns nothing.
    '**<tool_result>.content': absent,
    // What the provider runs itself is counted as its JSON.
    '**<server_tool_use>.**': any,
    '**<web_search_tool_result>.**': any,
    // Null where the compaction failed.
    '**<compaction>.content': ['null'],
    '**tools[].**': any,
    // What a request may do without.
    tools: absent,
    '**system': [...absent, ...text, 'list'],
    system_prompt: absent,
    // The response was not recorded, or as its text.
    '**.outputBodyJson': [...absent, ...text],
    output: absent,
    response: [...absent, ...text, 'list'],
    // Not every program records usage, and not every API has a cache.
    '**.metrics': absent,
    '**.metrics.cacheReadTokens': absent,
    '**.metrics.cacheWriteTokens': absent,
    '**.usage': absent,
    '**.usage.cache_creation': absent,
    '**.usage.cache_creation.ephemeral_1h_input_tokens': absent,
  },
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
    '[].mapping.**.message': ['null'],
    'mapping.**.message': ['null'],
    // What was not given is null.
    'mapping.**.message<finished_successfully>.content<user_editable_context>.user_instructions': ['null'],
    'mapping.**.message<finished_successfully>.content<user_editable_context>.user_profile': ['null'],
    'mapping.**.message<finished_successfully>.content<tether_browsing_display>.result': ['null'],
    'mapping.**.message<finished_successfully>.content<tether_quote>.title': ['null'],
    'mapping.**.message<finished_successfully>.content<tether_quote>.url': ['null'],
    'mapping.**.message<finished_successfully>.content<thoughts>.thoughts[].content': ['null'],
    'mapping.**.message<finished_successfully>.content<thoughts>.thoughts[].summary': ['null'],
    // Marks that are there only where they are true.
    'mapping.**.message<finished_successfully>.metadata': absent,
    'mapping.**.message<finished_successfully>.metadata.is_user_system_message': absent,
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
  inspect: {
    // A log may be its head alone, and a model that stands in for another counts nothing.
    '<success>.samples': absent,
    '**events': absent,
    '**.redacted': absent,
    // What the provider runs itself is counted as its JSON.
    '**<tool_use>.**': any,
    '**.output.usage': absent,
    '**.usage.input_tokens_cache_write': absent,
    '**.tools[].**': any,
    '**.content': text,
    '**.tool_calls': absent,
    '**.arguments.**': any,
    '**.error': absent,
  },
  langsmith: {
    // A list of parts may have bare texts in it.
    '**.content': [...text, 'list'],
    '**.tool_calls': absent,
    '**.tool_calls[]**.id': absent,
    '**.args': text,
    '**.args.**': any,
    '**.usage_metadata': absent,
    '**.input_token_details': absent,
    '**.input_token_details.cache_read': absent,
    '**.input_token_details.cache_creation': absent,
    // The run was not over, or its inputs and outputs are hidden.
    'inputs.messages': ['absent'],
    'outputs.generations': absent,
    patch: absent,
    'patch[].outputs': absent,
  },
  'openai-chat': {
    '**.content': text,
    '**.image_url': text,
    // A response may be calls only, or a text only.
    '**<assistant>.content': absent,
    '**<assistant>.tool_calls': absent,
    // A tool may return nothing.
    '**<tool>.content': ['null'],
    '**<function>.content': ['null'],
    // Some programs have no ids, and some write the arguments as they were parsed.
    '**.tool_calls[]<function>.id': absent,
    '**.tool_calls[]<custom>.id': absent,
    '**.arguments': [...text, 'object'],
    '**.arguments.**': any,
    // Not every model gives its reasoning.
    '**.reasoning_content': absent,
    '**.reasoning_details': absent,
    '**tools[]<function>.**': any,
    '**functions[].**': any,
    tools: absent,
    functions: absent,
    // The response was not recorded, or as its text.
    response: [...absent, ...text, 'list'],
    'response.body': [...absent, 'list'],
    '**.usage': absent,
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
  openhands: {
    '**.content': text,
    '**.thought': text,
    '**.system_prompt': text,
    '**.extended_content': [...absent, ...text],
    '**.dynamic_context': [...absent, ...text],
    '**.image_urls': absent,
    '**.images_urls': absent,
    '**.args.tools': absent,
    '**tools[]**': any,
    '**.extras.repo_instructions': ['null'],
    // An action of a version that did not record its response, as it was taken apart.
    '**.tool_call_metadata': absent,
    '**.model_response': absent,
    '**<agent><read>.args.**': any,
    '**<user><run>.args.**': any,
    'history[][]<run>.command': any,
    // A response may be calls only.
    '**<assistant>.content': absent,
    '**.function.arguments': ['object'],
    '**.usage': absent,
    '**.cache_creation_input_tokens': absent,
    '**.prompt_tokens_details': absent,
    '**.cached_tokens': absent,
    'metrics.token_usages': absent,
    'metrics.token_usages[].cache_read_tokens': absent,
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
