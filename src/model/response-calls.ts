/** The key of a call's input in each kind of item that OpenAI's Responses API has for a call, by the kind's `type`. */
export const responseCallInputs: Readonly<Record<string, string>> = {
  apply_patch_call: 'operation',
  computer_call: 'action',
  custom_tool_call: 'input',
  function_call: 'arguments',
  local_shell_call: 'action',
  shell_call: 'action',
  tool_search_call: 'arguments',
}
