/** What `--redact` leaves in JSON, because formats have it and nobody's transcript: keys, and the values of kinds and roles. */

/** Of messages and requests of the providers, of ATIF, of ctxwin's own form, of JSON Schema, and of tools' inputs. */
export const commonKeys: ReadonlySet<string> = new Set(
  `role content type text id name input tool_use_id is_error source data media_type url image_url function arguments
  tool_calls tool_call_id model messages tools system max_tokens max_completion_tokens max_output_tokens thinking signature
  cache_control ttl detail refusal annotations audio index partial store stream stream_options include_usage
  input_audio file_data file_id enabled context page_age grammar syntax definition allowed_callers defer_loading max_uses
  cited_text encrypted_index document_index document_title search_result_index start_char_index end_char_index
  start_block_index end_block_index start_page_number end_page_number
  parts functionCall functionResponse args response inlineData mimeType fileData fileUri contents systemInstruction
  functionDeclarations generationConfig maxOutputTokens thought thoughtSignature
  call_id output status encrypted_content summary reasoning reasoning_content instructions custom action caller citations
  description input_schema parameters properties required items enum additionalProperties anyOf oneOf allOf default format
  title minimum maximum minItems maxItems minLength maxLength strict
  schema_version session_id agent version model_name tool_definitions steps step_id timestamp message function_name metrics
  prompt_tokens completion_tokens cached_tokens observation results source_call_id
  transcript ctxwin provider conversation cwd parent forkMessage headless preamble complete blocks wire value bytes mediaType
  origin callId toolName isError continues responseId time usage cacheRead cacheWrite cacheWrite1h cost line compaction at keptFrom
  sealed restored head clearing left reset resumed interrupted units sizes thoughtSizes
  file_path filePath path paths filename notebook_path absolute_path target_file file uri pattern query regex glob search
  include command cmd script code patch patchText patch_text diff old_string new_string old_str new_str file_text insert_line
  insert_text edits replace_all view_range start_line end_line startLine endLine offset limit timeout workdir
  run_in_background output_mode head_limit multiline prompt subagent_type todos status activeForm explanation plan step`
    .split(/\s+/)
    .filter((key) => key !== ''),
)

export const commonValues: ReadonlySet<string> = new Set(
  `user assistant system developer tool model agent text thinking redacted_thinking opaque call image document tool_use
  tool_result server_tool_use web_search_tool_result compaction base64 url image_url input_text output_text input_image
  input_file input_audio file refusal function function_call function_call_output custom custom_tool_call
  custom_tool_call_output grammar lark regex direct web_search_result char_location page_location content_block_location
  search_result_location web_search_result_location search_result tool_reference local_shell_call reasoning summary_text reasoning_text message ephemeral auto
  object string number integer boolean array null
  anthropic openai google queued injected completed incomplete in_progress unknown ATIF-v1.4
  image/png image/jpeg image/gif image/webp application/pdf text/plain`
    .split(/\s+/)
    .filter((value) => value !== ''),
)

/** Tools that agents bring with them, in lower case without separators. */
export const commonTools: ReadonlySet<string> = new Set(
  `agent applydiff applypatch askuserquestion attemptcompletion bash bashoutput cat codebasesearch containerexec create
  createfile delete deletefile edit editfile editor exec execcommand execute executebash executecommand exitplanmode fetch
  fetchurl fileeditor filesearch find finish fsread fswrite getfilecontents glob globsearch googlewebsearch grep grepsearch
  insert killbash killshell list listdir listdirectory listfiles localshell localshellcall ls multiedit multitooluseparallel
  newtask notebookedit notebookread open openfile patch powershell read readfile readmanyfiles readtextfile replace
  replaceinfile rg runcommand runinterminal runshellcommand runterminalcmd savememory search searchfilecontent searchfiles
  searchreplace sh shell shellcommand shellexec skill strreplace strreplacebasededittool strreplaceeditor submit switchmode
  task terminal think todoread todowrite toolsearch updateplan view viewfile viewimage webfetch websearch write writefile
  writestdin writetofile`.split(/\s+/),
)
