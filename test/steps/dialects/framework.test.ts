import { testDialect } from '../../contracts/dialect-contract.ts'
import type { DialectTable, NotRecorded } from '../../contracts/dialect-table.ts'

const KOOG = { 'koog.node.name': 'nodeCallLLM' }
const CREW = { crew_key: 'c-1', crew_id: 'i-1', task_key: 't-1' }
const ADK_TOOL = { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.tool.name': 'forecast' }
const PATRONUS = { 'pat.app': 'demo', 'pat.project.name': 'p-1' }

const CONVENTION: NotRecorded = {
  notRecorded: 'calls of models and tools are written by a convention, and read as that',
}

const table: DialectTable = {
  name: 'frameworks that mark spans of their own',
  dialect: 'framework',
  kinds: [
    ['a node of Koog', KOOG, 'workflow'],
    ['what CrewAI notes of a task', CREW, 'workflow'],
    ['a function that Patronus traced', PATRONUS, 'workflow'],
    ['marks on a call of a model', { ...PATRONUS, 'openinference.span.kind': 'LLM' }, 'model'],
    ['marks on a task of OpenInference', { ...CREW, 'openinference.span.kind': 'AGENT' }, 'agent'],
    ['marks on a request', { ...PATRONUS, 'http.request.method': 'GET' }, 'other'],
    ['the name of a project alone', { 'pat.project.name': 'p-1' }, 'other'],
    ['the id of a task alone', { task_key: 't-1' }, 'other'],
  ],
  nodeName: [
    ['the name of a node of Koog', KOOG, 'nodeCallLLM'],
    ['the span name', CREW, 'the span'],
  ],
  agentName: CONVENTION,
  toolName: CONVENTION,
  callId: CONVENTION,
  session: [
    ['gcp.vertex.agent.session_id', { ...ADK_TOOL, 'gcp.vertex.agent.session_id': 's-1' }, 's-1'],
    ['gen_ai.conversation.id', { ...KOOG, 'gen_ai.conversation.id': 'c-1' }, 'c-1'],
  ],
  requestModel: CONVENTION,
  responseModel: CONVENTION,
  provider: CONVENTION,
  responseId: CONVENTION,
  finishReasons: CONVENTION,
  cost: CONVENTION,
  firstTokenMs: CONVENTION,
  model: CONVENTION,
  tool: ADK_TOOL,
  toolArguments: { write: (value) => ({ 'gcp.vertex.agent.tool_call_args': value }), json: false },
  toolResult: { write: (value) => ({ 'gcp.vertex.agent.tool_response': value }), json: false },
  answer: CONVENTION,
  calls: CONVENTION,
  tools: CONVENTION,
  tokens: {
    input: CONVENTION,
    output: CONVENTION,
    total: CONVENTION,
    cacheRead: CONVENTION,
    cacheWrite: CONVENTION,
    reasoning: CONVENTION,
  },
  usage: CONVENTION,
  aggregates: CONVENTION,
  streamed: CONVENTION,
}

testDialect(table)
