/**
 * Keys whose absence loses content without a problem, and rightly so: the programs leave them out where there is nothing
 * to say, or what stands in them has any shape. For each, the values that need no problem: `absent`, `null`, `renamed`, a
 * type, or `any`. All that is not listed here is named by its reader.
 */

const absent = ['absent', 'null']

/** The same of ids, marks, and what is short or empty: under another key it could be anything. */
const untold = [...absent, 'renamed']

/** The arguments of a call are the model's own words, and the definitions of tools are sent as they are. */
const any = ['any']

/** Content is a text or parts: either is right in the place of the other. */
const text = ['string']

/** Usage of an inherited message that is no count is reported for the parent. */
const inherited = ['string', 'object', 'list', 'boolean']

export const optionalKeys: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  'ai-sdk': {
    // Content is a text or parts.
    '**.content': [...text, 'list'],
    // Input that fits no tool is kept as the model wrote it.
    '**.input': text,
    '**.input.**': any,
    '**.args': text,
    '**.args.**': any,
    // What a tool returned is a value of any type.
    '**.result': ['null', 'number', 'string', 'object', 'list', 'boolean'],
    '**.result.**': any,
    '**<json>.value': ['null', 'number', 'string', 'list', 'boolean'],
    '**<json>.value.**': any,
    '**.output': ['null', 'number', 'string', 'list', 'boolean'],
    '**.output.*': any,
    // A message has parts, invocations or attachments only where there are any.
    '**.parts': absent,
    '**.toolInvocations': absent,
    '**.experimental_attachments': absent,
    '**.usage.cachedInputTokens': absent,
  },
  aider: {},
  amp: {
    '**.content': text,
    '**.error': text,
    // A summary of older versions is a text.
    '**<summary>.summary': text,
    // Arguments that were cut off are text.
    '**<tool_use>.input': text,
    '**<tool_use>.input.**': any,
    // Each tool gives what it likes.
    '**<done>.result': [...text, 'number', 'object', 'list', 'boolean'],
    '**<done>.result.**': any,
    // What the user runs is counted as its JSON.
    '**<manual_bash_invocation>.**': any,
    // A request that was stopped has no counts, and not every provider has a cache.
    '**.usage': absent,
    '**.usage.cacheCreationInputTokens': ['null'],
    '**.usage.cacheReadInputTokens': ['null'],
    '**.fileMentions': absent,
  },
  'anthropic-messages': {
    // A stream that was cut off has none yet.
    '**.stop_reason': absent,
    '**.content': text,
    '**.input.**': any,
    // Arguments that a stream did not finish.
    '**<tool_use>.input': text,
    // A tool that returns nothing.
    '**<tool_result>.content': untold,
    // What the provider runs itself is counted as its JSON.
    '**<server_tool_use>.**': any,
    '**<web_search_tool_result>.**': any,
    // Null where the compaction failed.
    '**<compaction>.content': ['null'],
    '**tools[].**': any,
    // What a request may do without.
    '**tools': absent,
    '**system': [...absent, ...text],
    // An export of a session has texts of any kind beside its messages.
    system_prompt: untold,
    // The response was not recorded, or as its text.
    '**.outputBodyJson': [...absent, ...text],
    output: absent,
    response: [...absent, ...text, 'list'],
    // Not every program records usage, and not every API has a cache.
    '**.metrics': absent,
    '**.metrics.cacheReadTokens': absent,
    '**.metrics.cacheWriteTokens': absent,
    '**.metrics.cost': absent,
    '**.usage': absent,
    // Only where a response took several calls.
    '**.usage.iterations': absent,
    '**.usage.cache_read_input_tokens': absent,
    '**.usage.cache_creation': absent,
    '**.usage.cache_creation.ephemeral_1h_input_tokens': absent,
  },
  antigravity: {
    // A response is a text, thoughts, calls, or some of them.
    '<PLANNER_RESPONSE>**.content': absent,
    '<PLANNER_RESPONSE>**.thinking': absent,
    '<PLANNER_RESPONSE>**.tool_calls': absent,
    '<PLANNER_RESPONSE>**.tool_calls[].args.**': any,
    // Only the newest versions count.
    '<PLANNER_RESPONSE>**.input_tokens': absent,
    '<PLANNER_RESPONSE>**.output_tokens': absent,
    '<PLANNER_RESPONSE>**.cache_read_tokens': absent,
  },
  atif: {
    'agent.tool_definitions': absent,
    'agent.tool_definitions[]<function>.**': any,
    // Not every agent tells what its responses used, and not every API what came from a cache.
    'steps[]<agent>.metrics': absent,
    'steps[]<agent>.metrics.cached_tokens': absent,
    'steps[]<agent>.metrics.cost_usd': absent,
    'steps[]<agent>.metrics.extra': absent,
    'steps[]<agent>.metrics.extra.cache_creation_input_tokens': absent,
    'subagent_trajectories[].steps[]<agent>.metrics': absent,
    // The last calls of a run that was cut off came to nothing.
    'steps[]<agent>.observation': absent,
    'steps[]<agent>.reasoning_content': absent,
    'steps[]<agent>.tool_calls[].arguments.**': any,
    'steps[]<user>.is_copied_context': untold,
    subagent_trajectories: absent,
  },
  'bedrock-converse': {
    '**.toolUse.input.**': any,
    '**.content[].json': any,
    '**.content[].json.**': any,
    '**.inputSchema.json<object>.**': any,
    // What a request may do without.
    '**.system': absent,
    '**.toolConfig': absent,
    '**.toolSpec.description': absent,
    // The response was not recorded, or as its text.
    output: absent,
    'output.outputBodyJson': [...absent, ...text, 'list'],
    response: [...absent, ...text, 'list'],
    // Not every program records usage, and not every model has a cache.
    '**.usage': absent,
    '**.usage.cacheReadInputTokens': absent,
    '**.usage.cacheWriteInputTokens': absent,
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
    'mapping.*.message<finished_successfully>.metadata': untold,
    'mapping.*.message<finished_successfully>.metadata.is_user_system_message': untold,
  },
  'claude-ai-export': {
    '[].chat_messages[]<assistant>.content[]<tool_result>.content': text,
    // Some calls have no id; their results, which are behind them, have none either.
    '[].chat_messages[]<assistant>.content[]<tool_use>.id': untold,
    '[].chat_messages[]<assistant>.content[]<tool_use>.input.**': any,
    // A file without text.
    '[].chat_messages[]<human>.attachments[].extracted_content': ['null'],
    '[].chat_messages[]<human>.files': absent,
  },
  'claude-code': {
    // Without a reason the response may have gone on behind its usage, with any it has ended.
    '**.stop_reason': ['absent', 'null', 'string'],
    // A hook may answer nothing, and a diagnosis may have no source.
    '**<async_hook_response>.response.hookSpecificOutput': absent,
    '**<async_hook_response>.response.hookSpecificOutput.additionalContext': absent,
    '**<async_hook_response>.response.systemMessage': absent,
    '**<diagnostics>.files[].diagnostics[].source': untold,
    // A text or a number, by what found it.
    '**<diagnostics>.files[].diagnostics[].code': any,
    '**<diagnostics>.files[].diagnostics[].code.value': any,
    // Tools that the provider runs have neither, and older versions do not record what is sent.
    '**<prompt_snapshot>.tools[].schema.description': absent,
    '**<prompt_snapshot>.tools[].schema.input_schema': absent,
    '**<prompt_snapshot>.tools[].schema.input_schema<object>.**': any,
    '<attachment>.rendered': absent,
    // What a newer version has beside, and what the provider runs itself, is counted as its JSON.
    '**<lamp_block>.**': any,
    '**<server_tool_use>.**': any,
    '**<advisor_tool_result>.**': any,
    // Older versions did not tell the calls of a response apart.
    '**.usage.iterations': absent,
    '**<tool_use>.input.**': any,
    // Marks that are there only where they say something.
    '<user>.isMeta': untold,
    '**<queued_command>.commandMode': untold,
    // Counted as they are.
    '**<task_reminder>.content[]**': any,
  },
  'cline-ui': {
    // Before the first cut, and in older versions, nothing needs the number of elements.
    '[]<say>.conversationHistoryIndex': untold,
  },
  codex: {
    // The provider has not counted yet.
    '**<token_count>.info': ['null'],
    // Some programs write the arguments as they were parsed.
    '**<function_call>.arguments': ['object'],
    '**<tool_search_call><completed>.arguments.**': any,
    '**<custom_tool_call_output>.output': text,
    // Older calls have only an id of their own, and those that the provider answers itself have none for the answer.
    '**<local_shell_call><completed>.call_id': untold,
    '**<tool_search_call><completed>.call_id': ['null'],
    '**<tool_search_output><completed>.call_id': ['null'],
    '**<tool_search_output><completed>.tools[]**': any,
    // Only who asks for it gets the reasoning.
    '**<reasoning>.encrypted_content': untold,
    // What the provider runs itself is counted as its JSON.
    '**<web_search_call><completed>.**': any,
    '<session_meta>.payload.base_instructions': ['null'],
    '<session_meta>.payload.dynamic_tools': absent,
    '<session_meta>.payload.dynamic_tools[]**': any,
  },
  'codex-exec': {
    // A tool may be given nothing, or no object.
    '**<mcp_tool_call><completed>.arguments': ['null', 'number', 'string', 'list', 'boolean'],
    '**<mcp_tool_call><completed>.arguments.**': any,
    // Counted as it is, as what the patch was.
    '**<file_change><completed>.changes[]**': any,
    // The provider runs it itself: counted as its JSON.
    '**<web_search>.**': any,
  },
  'copilot-cli': {
    // Arguments that were cut off are text.
    '**.toolRequests[].arguments': ['object'],
    '**.toolRequests[]<function>.arguments': text,
    '**.toolRequests[]<function>.arguments.**': any,
    // A response may have no reasoning, one of both forms, or both.
    '**.encryptedContent': untold,
    '**.reasoningOpaque': untold,
    '**.reasoningText': absent,
    '<assistant.usage>.data.cacheReadTokens': absent,
    // Only models that were asked are there.
    '**.modelMetrics.claude-sonnet-4.6': ['absent'],
    '<tool.execution_complete>.data.error': text,
    '<tool.execution_complete>.data.result': text,
    // Older versions had none of these, and a prompt that was sent as it was typed needs none.
    '<user.message>.data.delivery': untold,
    '<user.message>.data.source': untold,
    '<user.message>.data.transformedContent': absent,
  },
  crush: {
    // Only images.
    '**<tool_result>.data.data': untold,
    // What a newer version has beside is counted as its JSON.
    '**<hologram>.**': any,
  },
  ctxwin: {
    // What a message may do without.
    'message**.usage': absent,
    'message**.callId': untold,
    '**.origin': untold,
    // A call's arguments have any shape; some programs do not record them.
    '**<call>.input': any,
    '**<call>.input.**': any,
    'transcript.preamble.tools': absent,
    'transcript.preamble.tools[]**': any,
  },
  cursor: {
    '**.content': text,
    '**<tool_use>.input': text,
    '**<tool_use>.input.**': any,
  },
  'droid-exec': {
    '<tool_call>.parameters.**': any,
    // Older versions do not count, and not every provider has a cache.
    '<completion>.usage': absent,
    '<completion>.usage.cache_read_input_tokens': absent,
  },
  duragent: {
    // Not every provider counts.
    '**.usage': absent,
    // The program leaves out an empty list.
    '<assistant_response>.tool_calls': absent,
    // What the model wrote, parsed; null where it was no JSON.
    '**.arguments': ['string', 'null'],
    '**.arguments.**': any,
  },
  entire: {
    // Of some agents arguments are a text, or were not kept.
    '**<tool_use>.input': any,
    '**<tool_use>.input.**': any,
    // A call that was interrupted.
    '**<tool_use>.result': absent,
    // A response that was not counted.
    '<assistant>.input_tokens': absent,
    '<assistant>.output_tokens': absent,
  },
  'factory-droid': {
    '**.content': text,
    '**<tool_use>.input.**': any,
    // Not every provider counts, or has a cache.
    '**.usage': absent,
    '**.usage.cache_read_input_tokens': absent,
  },
  'flat-blocks': {
    '**<tool_use>.input.**': any,
    // A tool gives what it likes.
    '**<tool_result>.output': ['null', 'number', 'object', 'list', 'boolean'],
  },
  forge: {
    // A conversation without messages.
    '**context': ['null'],
    // The program leaves out what is empty, false or not known.
    '**.droppable': untold,
    '**.reasoning_details': absent,
    '**.reasoning_details[].text': absent,
    '**.tool_calls': absent,
    '**.tool_calls[].call_id': untold,
    '**.tools': untold,
    '**.usage': absent,
    // Where there was no id, any text is one.
    '**.tool.call_id': text,
    // Arguments that were no JSON are text.
    '**.arguments': [...text, 'object'],
    '**.arguments.**': any,
    '**.input_schema<object>.**': any,
    // A value of an unknown kind is a problem already.
    '**.values[].unheard': any,
  },
  'gemini-api': {
    // Google leaves out arguments and counts that there are none of, and only newer versions have ids.
    '**.functionCall.args': absent,
    '**.functionCall.args.**': any,
    '**.functionCall.id': untold,
    '**.usageMetadata.cachedContentTokenCount': absent,
    '**tools[].**': any,
    '**.tools': absent,
    '**.systemInstruction': [...absent, ...text],
    '**.usageMetadata.candidatesTokenCount': absent,
    '**.usageMetadata.thoughtsTokenCount': absent,
    // Each tool answers with keys of its own.
    '**.functionResponse.response.**': any,
    // The response was not recorded.
    response: absent,
    'response.usageMetadata': absent,
  },
  'gemini-cli': {
    // Content is a text, a part or a list of both.
    '**.content': [...text, 'list'],
    '**.result': text,
    '**.args.**': any,
    // Each tool answers with keys of its own.
    '**.functionResponse.response.**': any,
    // Only newer versions have ids, and Google leaves out arguments that there are none of.
    '**.functionCall.id': untold,
    '**.functionCall.args': absent,
    // A mark that is there only where it is true.
    '**.thought': untold,
    // What a response may do without; its counts come last.
    '**.thoughts': absent,
    '**.toolCalls': absent,
    '**.tokens': absent,
    '**.tokens.thoughts': absent,
    '**.tokens.tool': absent,
    // Most changes are of the header, and the messages of a head are the lines behind it.
    '$set.messages': absent,
    '<main>.messages': absent,
  },
  'gemini-stream': {
    // A message that comes whole.
    '**.delta': untold,
    // A result that is shown otherwise than as text is not told.
    '**.output': untold,
    '**.parameters.**': any,
  },
  goose: {
    // A tool may need no arguments.
    '**.value.arguments': absent,
    '**.value.arguments.**': any,
    // A list is what older versions had in the place of the object.
    '**.toolResult<success>.value': ['list'],
    // What a newer version has beside is counted as its JSON.
    '**<hologram>.*': any,
    // Not every provider names its responses, counts, or has a cache, and older versions noted nothing beside.
    '**.message<assistant>.id': untold,
    '**.metadata': absent,
    '**.metadata.usage': absent,
    '**.metadata.usage.cacheReadTokens': absent,
    '**.metadata.usage.cacheWriteTokens': absent,
    input_tokens: absent,
    output_tokens: absent,
  },
  'grok-build': {
    '**.rawInput': absent,
    '**.rawInput.**': any,
    'params.update<failed>.rawOutput.**': any,
    // A tool says what it gave in either.
    'params.update<failed>.rawOutput': any,
    'params.update<completed>.content': absent,
    // A call goes on until it says that it has ended.
    'params.update<completed>.status': any,
    'params.update<failed>.status': any,
    'params.update.summary_preview': absent,
    // Older versions, and turns that were cancelled, have no counts, and not every provider a cache or a price.
    'params.update.usage': absent,
    'params.update.usage.cachedReadTokens': absent,
    'params.update.usage.cacheCreationTokens': absent,
    'params.update.usage.costUsdTicks': absent,
    'params.update.usage.modelUsage': absent,
    'params.update.usage.modelUsage.**': absent,
  },
  har: {},
  hermes: {
    // Some providers write arguments as an object, and an image may be its address.
    '**.function.arguments': ['object'],
    '**.image_url': text,
    '**.tool_calls[]<function>.id': untold,
    '**<tool>.content': ['null'],
    // There is none where the model only spoke, and columns of newer versions.
    '**.compacted': ['null'],
    '**<assistant>.*': absent,
    '**_cost_usd': absent,
    '**.cache_*_tokens': absent,
    system_prompt: absent,
    usage: absent,
  },
  ikigai: {
    // There are none where the model did not think.
    '<tool_call>.data.redacted_thinking': absent,
    '<tool_call>.data.thinking': absent,
  },
  'ikigai-log': {
    '**.content': text,
    '**.input': text,
    '**.input.**': any,
    // A tool that returns nothing.
    '**<tool_result>.content': untold,
    // What a request may do without.
    '**.system': absent,
    '**.tools': absent,
    '**.tools[].**': any,
  },
  inspect: {
    // A log may be its head alone, and a model that stands in for another counts nothing.
    '<success>.samples': absent,
    '**events': absent,
    '**.redacted': untold,
    // What the provider runs itself is counted as its JSON.
    '**<tool_use>.**': any,
    '**.output.usage': absent,
    '**.usage.input_tokens_cache_read': absent,
    '**.usage.input_tokens_cache_write': absent,
    '**.tools[].**': any,
    '**.content': text,
    '**.tool_calls': absent,
    '**.arguments.**': any,
    '**.error': absent,
  },
  'kimi-cli': {
    // A response may be only calls, or only a text, and a tool returns nothing.
    '<assistant>.content': [...absent, ...text],
    '<assistant>.tool_calls': absent,
    '<tool>.content': ['null', ...text],
    '**.arguments': ['object'],
    '**<function>.id': untold,
  },
  'kimi-wire': {
    '<context.append_loop_event>.event<tool.call>.args': absent,
    '<context.append_loop_event>.event<tool.call>.args.**': any,
    '<llm.tools_snapshot>.tools[].parameters<object>.**': any,
    // What a tool said besides its output.
    '<context.append_loop_event>.event<tool.result>.result.note': absent,
    'message<ToolResult>.payload.return_value.message': untold,
    // What a user says needs none.
    '<context.append_message>.message<user>.origin': absent,
    // Older versions kept the newest messages behind the summary.
    '<context.apply_compaction>.keptUserMessageCount': absent,
    // Beside a `summary`.
    '<context.apply_compaction>.contextSummary': absent,
    '<context.append_message>.message<user>.content': text,
    'message<TurnBegin>.payload.user_input': text,
    // Other states than that of usage.
    '**.payload.token_usage': absent,
    'message<ToolCall>.payload<function>.function.arguments': ['null'],
  },
  'kiro-cli': {
    '**.args.*': any,
    // What a tool gave as JSON is a value of any type.
    '**.Json': ['number', 'string', 'list', 'boolean'],
    '**.Json.*': any,
    '**.CancelledToolUses.prompt': ['null'],
    '**.images': absent,
    latest_summary: untold,
  },
  langfuse: {
    // A prompt or a response may be only a text.
    '**<GENERATION>.input': text,
    '**<GENERATION>.output': [...text, 'list'],
    '**.content': text,
    '**<tool_use>.input': any,
    '**<tool_use>.input.**': any,
    // What a tool returned is a value of any type, or nothing.
    '**<TOOL>.output': any,
    // The uppermost observation of a trace.
    '**.parentObservationId': untold,
    // Nothing was counted, or by other names; Langfuse itself counts only what was recorded.
    '**.usageDetails': absent,
    '**.usageDetails.output': absent,
    '**.usageDetails.total': untold,
    '**.usageDetails.cache_*': absent,
    '**.usageDetails.input_*': absent,
    '**.usageDetails.output_*': absent,
    '**.usageDetails.prompt_details.*': absent,
    // Each framework puts into it what it likes.
    '**.metadata': [...untold, 'object'],
  },
  langsmith: {
    // A list of parts may have bare texts in it.
    '**.content': [...text, 'list'],
    '**.tool_calls': absent,
    '**.tool_calls[]**.id': untold,
    '**.args': text,
    '**.args.**': any,
    // Definitions that are a name and nothing else.
    extra: untold,
    'extra.invocation_params': untold,
    'extra.invocation_params.tools': untold,
    'extra.invocation_params.tools[].**': any,
    '**.usage_metadata': absent,
    '**.input_token_details': absent,
    '**.input_token_details.cache_read': absent,
    '**.input_token_details.cache_creation': absent,
    // The run was not over.
    patch: absent,
    'patch[].outputs': untold,
  },
  'managed-agents': {
    '**.content': text,
    '**_use>.input.**': any,
    // A tool that returns nothing.
    '**_result>.content': absent,
    // Only an outcome has one.
    '<user.define_outcome>.rubric': absent,
    // The session's own events name no thread.
    '**.session_thread_id': untold,
  },
  mimir: {
    // Not every server counts.
    '**.tokens': absent,
    '**.token_usage': absent,
    '**.tokenUsage': absent,
    '**.toolCalls': absent,
    // Arguments as the model wrote them, or parsed.
    '**.args': text,
    '**.args.**': any,
    '**.arguments': ['object'],
    '**.result': text,
    '**.result.**': any,
  },
  'mini-swe-agent': {
    // A tool may return nothing.
    '**<tool>.content': ['null'],
    // Some programs have no ids, and some write the arguments as they were parsed.
    '**.tool_calls[]<function>.id': untold,
    '**.arguments': ['object'],
    // Versions differ in what they remark on a message, and providers in what they count.
    '**.extra': absent,
    '**.extra.response': absent,
    '**.extra.interrupt_type': untold,
    '**.usage': absent,
    '**.usage.prompt_tokens_details': absent,
    '**.usage.prompt_tokens_details.cached_tokens': absent,
    '**.usage.input_tokens_details': absent,
    '**.usage.input_tokens_details.cached_tokens': absent,
  },
  'openai-chat': {
    '**.image_url': text,
    // A response may be calls only, or a text only.
    '**<assistant>.content': untold,
    '**<assistant>.tool_calls': absent,
    // A tool may return nothing.
    '**<tool>.content': ['null'],
    '**<function>.content': ['null'],
    // Some programs have no ids, and some write the arguments as they were parsed.
    '**.tool_calls[]<function>.id': untold,
    '**.tool_calls[]<custom>.id': untold,
    '**.arguments': [...text, 'object'],
    '**.arguments.**': any,
    // Not every model gives its reasoning.
    '**.reasoning_content': absent,
    '**.reasoning_details': absent,
    '**tools[]<function>.**': any,
    '**functions[].**': any,
    '**tools': absent,
    functions: absent,
    // A system prompt of no session is a conversation of its own, which is said to be empty.
    '<system>.session_id': any,
    // The response was not recorded, or as its text, which under another key may be an error.
    response: [...untold, ...text, 'list'],
    'response.body': [...absent, 'list'],
    '**.usage': absent,
    '**.usage.prompt_tokens_details': absent,
    '**.usage.prompt_tokens_details.cached_tokens': absent,
  },
  'openai-responses': {
    '**.content': text,
    // Some programs write the arguments as they were parsed.
    '**<function_call>.arguments': ['object'],
    // Only who asks for it gets the reasoning.
    '**<reasoning>.encrypted_content': untold,
    // What is no message, call or reasoning is counted as its JSON.
    '**<item_reference>.**': any,
    '**.previous_response_id': untold,
    '**instructions': absent,
    '**tools': absent,
    '**tools[]**': any,
    // The response was not recorded, or as its text.
    '**.output': text,
    'response.body': [...absent, 'list'],
    '**.usage': absent,
    '**.usage.input_tokens_details': absent,
    '**.usage.input_tokens_details.cached_tokens': absent,
  },
  opencode: {
    // Older versions wrote no counts.
    'messages[].info<assistant>.tokens': absent,
    'messages[].info<assistant>.tokens.cache': absent,
    'messages[].info<assistant>.tokens.reasoning': untold,
    // What a call cost is there only where the program knows its price.
    'messages[].info<assistant>.cost': absent,
    // A mark that is there only where it is true.
    'messages[].info<assistant>.summary': untold,
    'messages[].parts[]<text>.synthetic': untold,
    'messages[].parts[]<tool>.state<completed>.attachments': absent,
    // Each provider has keys of its own in it.
    'messages[].parts[]<reasoning>.metadata': untold,
    'messages[].parts[]<reasoning>.metadata.**': any,
    'messages[].parts[]<tool>.state<completed>.input.**': any,
    'messages[].parts[]<tool>.state<running>.input.**': any,
    'messages[].parts[]<tool>.state<error>.input.**': any,
    '<tool_use>.part<tool>.state<completed>.input.**': any,
  },
  openhands: {
    '**.content': text,
    '**.thought': text,
    '**.system_prompt': text,
    '**.extended_content': [...absent, ...text],
    '**.dynamic_context': [...absent, ...text],
    // Under another key a list of addresses may be anything.
    '**.image_urls': untold,
    '**.images_urls': untold,
    '**.args.tools': absent,
    '**tools[]**': any,
    '**.extras.repo_instructions': ['null'],
    // An action of a version that did not record its response, as it was taken apart.
    '**.tool_call_metadata': absent,
    '**.model_response': absent,
    '**<agent><read>.args.**': any,
    '**<user><run>.args.**': any,
    'history[][]<run>.command': any,
    // A mark that is left out of the arguments; under another key it is one of them.
    'history[][]<run>.is_confirmed': ['renamed'],
    // A response may be calls only.
    '**<assistant>.content': untold,
    '**.function.arguments': ['object'],
    '**.usage': absent,
    '**.cache_creation_input_tokens': absent,
    '**.prompt_tokens_details': absent,
    '**.cached_tokens': absent,
    metrics: absent,
    'metrics.token_usages': absent,
    'metrics.token_usages[].cache_read_tokens': absent,
  },
  'otel-genai': {
    // Attributes are a list of keys and values, or an object of them; a count is text, as JSON has 64 bits, or a number.
    '**.attributes': ['object'],
    '**.intValue': ['number'],
    '**.attributes[].value': text,
    // The answer may be an object.
    '**.gen_ai.output': ['object'],
  },
  pi: {
    // Models whose price pi does not know.
    '**.usage.cost': absent,
    // Calls whose usage nobody recorded.
    '<compaction>.usage': absent,
    '<message>.message<toolResult>.usage': absent,
    // What a system message does not change, it does not name; null takes a section away.
    '<message>.message<system>.sections': untold,
    '<message>.message<system>.sections.*': absent,
    '<message>.message<system>.toolsAdded': absent,
    '<message>.message<system>.toolsRemoved': absent,
    '<message>.message<system>.toolsAdded[].parameters<object>.**': any,
    // Older versions wrote the prompt as one text.
    '<session_init>.systemPrompt': ['string'],
    '**.content': text,
    // A signature is there only where the provider gave one, and stands for the reasoning only at some.
    '**<thinking>.thinkingSignature': absent,
    '**<toolCall>.arguments.**': any,
    '**<assistant>.usage.*': inherited,
    // A command that was cancelled has no code, and only long output is in a file.
    '**<bashExecution>.exitCode': untold,
    '**<bashExecution>.fullOutputPath': untold,
  },
  'qwen-code': {
    '**.functionCall.id': untold,
    '**.functionCall.args': absent,
    '**.functionCall.args.**': any,
    // Each tool answers with keys of its own.
    '**.functionResponse.response.**': any,
    // Marks that are there only where they say something.
    '**.thought': untold,
    '<user>**.subtype': untold,
    // A response that was broken off has no counts, and Google leaves out those of 0.
    '**.usageMetadata': absent,
    '**.usageMetadata.*': [...absent, ...inherited],
    // A rewind to the first prompt.
    '<system><rewind>.parentUuid': ['null'],
  },
  sharegpt: {
    // A data set may have columns of any name beside them.
    '[].conversation[].system': untold,
    '[].history': untold,
    '[].input': untold,
    '[].system': untold,
    system: untold,
    tools: [...untold, 'list'],
  },
  'swe-agent': {
    '**.content': text,
    // A tool may return nothing.
    '**<tool>.content': ['null'],
    '**.tool_calls': absent,
    '**.tool_calls[]<function>.id': untold,
    '**.arguments': ['object'],
    '**.thinking_blocks': absent,
    // Only a demonstration is marked as one.
    '**.is_demo': untold,
    // Either has the messages, and only some runs take several attempts.
    attempts: absent,
    '**history': absent,
  },
  'tau-bench': {
    // A tool may return nothing.
    '**<tool>.content': ['null'],
    '**.tool_calls': absent,
    '**.tool_calls[]<function>.id': untold,
    // Arguments as the model wrote them, or parsed.
    '**.function.arguments': ['object'],
    '**.tool_calls[].arguments': text,
    '**.tool_calls[].arguments.**': any,
    // The opening words of the agent are nobody's response.
    '**.raw_data': absent,
    '**.usage': absent,
    '**.usage.prompt_tokens_details': absent,
    '**.usage.prompt_tokens_details.cached_tokens': absent,
  },
  zed: {
    '**.ToolUse.input.*': any,
    // What a tool gave is a text, a part or several.
    '**.tool_results.*.content': [...text, 'list'],
    // Ids are keys.
    '**.tool_results.*': ['absent', 'renamed'],
    // Older versions did not count, and a count of zero is left out.
    '**_token_usage**': absent,
  },
}
