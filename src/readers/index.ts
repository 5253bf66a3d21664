/** The registry of readers, an explicit list: a reader that is not in it cannot be chosen or recognised. */
import { Registry } from '../base/registry.ts'
import aiSdk from './formats/ai-sdk.ts'
import aider from './formats/aider.ts'
import amp from './formats/amp.ts'
import anthropicMessages from './formats/anthropic-messages.ts'
import antigravity from './formats/antigravity.ts'
import atif from './formats/atif.ts'
import bedrockConverse from './formats/bedrock-converse.ts'
import chatgptExport from './formats/chatgpt-export.ts'
import claudeAiExport from './formats/claude-ai-export.ts'
import claudeCode from './formats/claude-code/claude-code.ts'
import clineUi from './formats/cline-ui.ts'
import codex from './formats/codex/codex.ts'
import codexExec from './formats/codex-exec.ts'
import copilotCli from './formats/copilot-cli.ts'
import crush from './formats/crush.ts'
import ctxwin from './formats/ctxwin.ts'
import cursor from './formats/cursor.ts'
import droidExec from './formats/droid-exec.ts'
import duragent from './formats/duragent.ts'
import entire from './formats/entire.ts'
import factoryDroid from './formats/factory-droid.ts'
import flatBlocks from './formats/flat-blocks.ts'
import forge from './formats/forge.ts'
import geminiApi from './formats/gemini-api.ts'
import geminiCli from './formats/gemini-cli.ts'
import geminiStream from './formats/gemini-stream.ts'
import goose from './formats/goose.ts'
import grokBuild from './formats/grok-build.ts'
import har from './formats/har.ts'
import hermes from './formats/hermes.ts'
import ikigai from './formats/ikigai/ikigai.ts'
import ikigaiLog from './formats/ikigai-log.ts'
import inspect from './formats/inspect.ts'
import kimiCli from './formats/kimi-cli.ts'
import kimiWire from './formats/kimi-wire.ts'
import kiroCli from './formats/kiro-cli.ts'
import langfuse from './formats/langfuse/langfuse.ts'
import langsmith from './formats/langsmith.ts'
import managedAgents from './formats/managed-agents.ts'
import mimir from './formats/mimir/mimir.ts'
import miniSweAgent from './formats/mini-swe-agent.ts'
import openaiChat from './formats/openai-chat.ts'
import openaiResponses from './formats/openai-responses.ts'
import opencode from './formats/opencode.ts'
import openhands from './formats/openhands/openhands.ts'
import otelGenai from './formats/otel-genai.ts'
import pi from './formats/pi/pi.ts'
import qwenCode from './formats/qwen-code.ts'
import sharegpt from './formats/sharegpt.ts'
import sweAgent from './formats/swe-agent.ts'
import tauBench from './formats/tau-bench.ts'
import zed from './formats/zed.ts'
import type { Reader } from './reader.ts'

export const readers = new Registry<Reader>('format', [
  claudeCode,
  codex,
  openaiChat,
  anthropicMessages,
  clineUi,
  ikigai,
  ikigaiLog,
  duragent,
  forge,
  mimir,
  opencode,
  pi,
  ctxwin,
  geminiCli,
  geminiStream,
  antigravity,
  qwenCode,
  kimiCli,
  kimiWire,
  grokBuild,
  copilotCli,
  openaiResponses,
  geminiApi,
  bedrockConverse,
  managedAgents,
  codexExec,
  amp,
  factoryDroid,
  droidExec,
  entire,
  goose,
  crush,
  zed,
  hermes,
  kiroCli,
  cursor,
  aider,
  flatBlocks,
  aiSdk,
  sweAgent,
  miniSweAgent,
  atif,
  tauBench,
  openhands,
  chatgptExport,
  claudeAiExport,
  sharegpt,
  har,
  inspect,
  langsmith,
  langfuse,
  otelGenai,
])
