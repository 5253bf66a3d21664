/**
 * The keys under which programs record usage: a writer's keys, what each of them counts, and what is part of what. A path
 * names a key, and keys inside it behind dots; an element of a list goes by its `ttl` or type. Read in the SDKs and
 * conventions of their writers (Anthropic 0.71, OpenAI 7.59, AI SDK 4 to 7, semantic conventions for generative AI 1.42).
 */

import { wordsIn } from '../../base/words.ts'

/** Paths, of which the first that counts something is meant. One may be a sum: `a + b`; `input_*` is that of all such keys. */
type Paths = readonly string[]

export interface UsageKeys {
  readonly input: Paths
  readonly output: Paths
  readonly read?: Paths
  readonly write?: Paths
  /** The part of `write` that was written for an hour. */
  readonly write1h?: Paths
  /** Whether `input` has the tokens of the cache in it. `fitting`: it has, unless they are more. */
  readonly cached: 'inside' | 'beside' | 'fitting'
  /** What is billed as input or output and stands beside it. */
  readonly moreInput?: Paths
  readonly moreOutput?: Paths
  /** The sum of all. Where it is that of `input` and `output` alone, nothing stands beside them. */
  readonly total?: Paths
  /** In US dollars. */
  readonly cost?: Paths
  /** The same in billionths of a unit of Copilot's. */
  readonly nanoAiu?: Paths
  /**
   * What says no more: parts of the counts above, and what is no count of tokens. A key of the cache that only `*` stands for
   * is not known, as such tokens have prices of their own; all that `**` stands for is.
   */
  readonly known?: Paths
  /** Whose these are, where others record the same input: one of these keys is there. */
  readonly by?: Paths
}

const openaiChat: UsageKeys = {
  input: ['prompt_tokens'],
  output: ['completion_tokens'],
  // LiteLLM has Anthropic's names beside OpenAI's, and DeepSeek names of its own, all for the same.
  read: ['prompt_tokens_details.cached_tokens', 'cache_read_input_tokens', 'prompt_cache_hit_tokens', 'cached_tokens'],
  write: [
    'prompt_tokens_details.cache_write_tokens',
    'prompt_tokens_details.cache_creation_tokens',
    'cache_creation_input_tokens',
  ],
  write1h: ['cache_creation.ephemeral_1h_input_tokens'],
  cached: 'inside',
  total: ['total_tokens'],
  // OpenRouter's.
  cost: ['cost'],
  known: wordsIn(`
    prompt_tokens_details.* prompt_tokens_details.cache_write_tokens_details.**
    prompt_tokens_details.cache_creation_token_details.** completion_tokens_details.*
    cache_creation.ephemeral_5m_input_tokens prompt_cache_miss_tokens reasoning_tokens cost_details.**
    server_tool_use.*
  `),
}

const openaiResponses: UsageKeys = {
  input: ['input_tokens'],
  output: ['output_tokens'],
  read: ['input_tokens_details.cached_tokens'],
  write: ['input_tokens_details.cache_write_tokens'],
  cached: 'inside',
  total: ['total_tokens'],
  cost: ['cost'],
  known: wordsIn(`
    input_tokens_details.* input_tokens_details.cache_write_tokens_details.** output_tokens_details.*
    cost_details.**
  `),
  by: ['input_tokens_details'],
}

const langchain: UsageKeys = {
  input: ['input_tokens'],
  output: ['output_tokens'],
  read: ['input_token_details.cache_read'],
  write: [
    'input_token_details.cache_creation',
    'input_token_details.ephemeral_5m_input_tokens + input_token_details.ephemeral_1h_input_tokens',
  ],
  write1h: ['input_token_details.ephemeral_1h_input_tokens'],
  cached: 'inside',
  total: ['total_tokens'],
  known: ['input_token_details.*', 'output_token_details.*', 'total_cost', 'input_cost', 'output_cost'],
  by: ['input_token_details'],
}

export const anthropicKeys: UsageKeys = {
  input: ['input_tokens'],
  output: ['output_tokens'],
  read: ['cache_read_input_tokens', 'cache_read_tokens'],
  write: ['cache_creation_input_tokens', 'cache_creation_tokens'],
  write1h: ['cache_creation.ephemeral_1h_input_tokens'],
  cached: 'beside',
  known: wordsIn(`
    cache_creation.ephemeral_5m_input_tokens output_tokens_details.* server_tool_use.* iterations.** total_tokens
  `),
}

const aiSdk: UsageKeys = {
  input: [
    'inputTokens',
    'inputTokenDetails.noCacheTokens + inputTokenDetails.cacheReadTokens + inputTokenDetails.cacheWriteTokens',
  ],
  output: ['outputTokens'],
  read: ['inputTokenDetails.cacheReadTokens', 'cachedInputTokens'],
  write: ['inputTokenDetails.cacheWriteTokens'],
  // Version 5 handed Anthropic's counts on as they were.
  cached: 'fitting',
  known: ['outputTokenDetails.*', 'reasoningTokens', 'totalTokens', 'raw.**'],
  by: ['inputTokenDetails', 'cachedInputTokens'],
}

/** What the SDK's models are to tell it, since version 6. */
const aiSdkModel: UsageKeys = {
  input: ['inputTokens.total', 'inputTokens.noCache + inputTokens.cacheRead + inputTokens.cacheWrite'],
  output: ['outputTokens.total', 'outputTokens.text + outputTokens.reasoning'],
  read: ['inputTokens.cacheRead'],
  write: ['inputTokens.cacheWrite'],
  cached: 'inside',
  known: ['outputTokens.*', 'raw.**'],
  by: ['inputTokens.total', 'inputTokens.noCache'],
}

/** Bedrock's Converse API, Cline, Amp and Droid: Anthropic's counts under other names. */
const camelCase: UsageKeys = {
  input: ['inputTokens'],
  output: ['outputTokens'],
  read: ['cacheReadTokens', 'cacheReadInputTokens', 'cacheReadInputTokenCount'],
  write: wordsIn(`
    cacheWriteTokens cacheWriteInputTokens cacheWriteInputTokenCount cacheCreationInputTokens cacheCreationTokens
  `),
  write1h: ['cacheDetails.1h.inputTokens'],
  cached: 'beside',
  total: ['totalTokens'],
  cost: ['cost'],
  known: ['cacheDetails.5m.inputTokens', 'thinkingTokens', 'reasoningTokens', 'totalInputTokens', 'maxInputTokens'],
}

/** Version 4 of the AI SDK. */
const promptTokens: UsageKeys = {
  input: ['promptTokens'],
  output: ['completionTokens'],
  cached: 'inside',
  known: ['totalTokens'],
}

/** Those that tell by their keys whose they are, in the order in which they are tried. */
export const telling: readonly UsageKeys[] = [
  openaiChat,
  openaiResponses,
  langchain,
  anthropicKeys,
  aiSdkModel,
  aiSdk,
  camelCase,
  promptTokens,
]

const screen = {
  input: ['tokensIn'],
  output: ['tokensOut'],
  read: ['cacheReads'],
  write: ['cacheWrites'],
  cost: ['cost'],
} as const

/** Counts whose keys are those of another: the reader knows whose they are. */
export const usageKeys = {
  atif: {
    input: ['prompt_tokens'],
    output: ['completion_tokens'],
    read: ['cached_tokens'],
    write: ['extra.cache_creation_input_tokens'],
    cached: 'inside',
    cost: ['cost_usd'],
    known: ['extra.**'],
  },
  copilot: {
    input: ['inputTokens'],
    output: ['outputTokens'],
    read: ['cacheReadTokens'],
    write: ['cacheWriteTokens'],
    cached: 'inside',
    known: ['reasoningTokens', 'cost', 'copilotUsage.**', 'quotaSnapshots.**'],
  },
  /** A row of its store. */
  copilotStore: {
    input: ['input_tokens'],
    output: ['output_tokens'],
    read: ['cache_read_tokens'],
    write: ['cache_write_tokens'],
    cached: 'inside',
    nanoAiu: ['total_nano_aiu'],
    known: ['**'],
  },
  /** The newest request, in a checkpoint, which has more figures of it. */
  copilotCheckpoint: {
    input: ['prompt_tokens'],
    output: [],
    read: ['cache_read'],
    write: ['cache_write'],
    cached: 'inside',
    known: ['**'],
  },
  gemini: {
    input: ['promptTokenCount'],
    output: ['candidatesTokenCount'],
    read: ['cachedContentTokenCount'],
    cached: 'inside',
    moreInput: ['toolUsePromptTokenCount'],
    moreOutput: ['thoughtsTokenCount'],
    total: ['totalTokenCount'],
    known: wordsIn(`
      promptTokensDetails.** cacheTokensDetails.** candidatesTokensDetails.** toolUsePromptTokensDetails.**
    `),
  },
  /** The same, of its command line. */
  geminiCli: {
    input: ['input'],
    output: ['output'],
    read: ['cached'],
    cached: 'inside',
    moreInput: ['tool'],
    moreOutput: ['thoughts'],
    total: ['total'],
  },
  geminiStream: {
    input: ['input_tokens'],
    output: ['output_tokens'],
    read: ['cached'],
    cached: 'inside',
    known: ['input', 'total_tokens', 'tool_calls', 'models.**'],
  },
  goose: {
    input: ['inputTokens'],
    output: ['outputTokens'],
    read: ['cacheReadTokens'],
    write: ['cacheWriteTokens'],
    cached: 'inside',
    total: ['totalTokens'],
  },
  /** A row of its database. */
  gooseLedger: {
    input: ['input_tokens'],
    output: ['output_tokens'],
    read: ['cache_read_tokens'],
    write: ['cache_write_tokens'],
    cached: 'inside',
    total: ['total_tokens'],
    cost: ['cost'],
    known: ['*'],
  },
  /** One name for what every provider counts its own way: the total tells. */
  inspect: {
    input: ['input_tokens'],
    output: ['output_tokens'],
    read: ['input_tokens_cache_read'],
    write: ['input_tokens_cache_write'],
    cached: 'beside',
    total: ['total_tokens'],
    cost: ['total_cost'],
    known: ['reasoning_tokens'],
  },
  /** Each program adds names of its own, and what begins with `input` is added up. */
  langfuse: {
    input: ['input'],
    output: ['output'],
    read: ['input_cached_tokens + input_cache_read + cache_read_input_tokens + prompt_details.cache_read'],
    write: [
      'input_cache_creation + input_cache_creation_5m + input_cache_creation_1h + input_cache_write + cache_creation_input_tokens + prompt_details.cache_write',
    ],
    write1h: ['input_cache_creation_1h'],
    cached: 'inside',
    moreInput: ['input_* + cache_* + prompt_details.*'],
    moreOutput: ['output_* + completion_details.*'],
    total: ['total'],
  },
  /** What Cline shows on the screen. */
  cline: { ...screen, cached: 'beside' },
  /** And Roo. */
  roo: { ...screen, cached: 'inside' },
  /** The attributes of a span: the conventions, with the aliases of their writers; then OpenInference's, and the AI SDK's. */
  span: {
    input: wordsIn(`
      gen_ai.usage.input_tokens gen_ai.usage.prompt_tokens llm.token_count.prompt ai.usage.inputTokens
      ai.usage.promptTokens
    `),
    output: wordsIn(`
      gen_ai.usage.output_tokens gen_ai.usage.completion_tokens llm.token_count.completion ai.usage.outputTokens
      ai.usage.completionTokens
    `),
    read: [
      'gen_ai.usage.cache_read.input_tokens',
      'gen_ai.usage.cache_read_input_tokens',
      // Of Sentry, pydantic-ai and Langfuse.
      'gen_ai.usage.input_tokens.cached',
      'gen_ai.usage.details.cache_read_tokens',
      'gen_ai.usage.input_cached_tokens',
      'gen_ai.usage.input_cache_read',
      'llm.token_count.prompt_details.cache_read',
      'ai.usage.inputTokenDetails.cacheReadTokens',
      'ai.usage.cachedInputTokens',
    ],
    write: wordsIn(`
      gen_ai.usage.cache_creation.input_tokens gen_ai.usage.cache_write.input_tokens
      gen_ai.usage.cache_creation_input_tokens gen_ai.usage.input_tokens.cache_write
      gen_ai.usage.details.cache_write_tokens gen_ai.usage.input_cache_creation gen_ai.usage.input_cache_write
      llm.token_count.prompt_details.cache_write ai.usage.inputTokenDetails.cacheWriteTokens
    `),
    cached: 'fitting',
    cost: ['gen_ai.usage.total_cost', 'gen_ai.usage.cost', 'llm.cost.total', 'opencode.llm.cost.total'],
    nanoAiu: ['github.copilot.nano_aiu'],
    known: wordsIn(`
      gen_ai.usage.total_tokens gen_ai.usage.input_cost gen_ai.usage.output_cost gen_ai.usage.reasoning_tokens
      gen_ai.usage.reasoning.output_tokens gen_ai.usage.reasoning_output_tokens gen_ai.usage.output_tokens.reasoning
      gen_ai.usage.details.* llm.token_count.total llm.token_count.prompt_details.*
      llm.token_count.completion_details.* ai.usage.totalTokens ai.usage.tokens ai.usage.reasoningTokens
      ai.usage.inputTokenDetails.noCacheTokens ai.usage.outputTokenDetails.*
    `),
  },
} as const satisfies Readonly<Record<string, UsageKeys>>
