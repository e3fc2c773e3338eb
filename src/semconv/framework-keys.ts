import type { Field, FieldKey } from './field-key.ts'

/** The place in the graph of a Koog agent, as its spans of August 2025 have it. */
const KOOG_NODE = 'koog.node.name'

/** Keys of agent frameworks that mark spans of their own, beside those they write by a convention. */
export const frameworkKeys: readonly FieldKey[] = [
  { field: 'node.name', key: KOOG_NODE, dialect: 'framework', version: 'koog, 2025-08' },
  smolagents('agent.tools', 'smolagents.tools_names'),
  smolagents('agent.members', 'smolagents.managed_agents.0.name'),
  adk('call.arguments', 'gcp.vertex.agent.tool_call_args'),
  adk('call.result', 'gcp.vertex.agent.tool_response'),
  adk('session.id', 'gcp.vertex.agent.session_id'),
]

/** The Agent Development Kit of Google writes the operations of the GenAI conventions, and content of its own. */
function adk(field: Field, key: string): FieldKey {
  return { field, key, dialect: 'framework', version: 'google-adk, 2025-08' }
}

/** What smolagents says of an agent and OpenInference has no key for. */
function smolagents(field: Field, key: string): FieldKey {
  return { field, key, dialect: 'framework', version: 'smolagents, 2025-03' }
}

/**
 * Keys that make a span a unit of work of an agent where nothing else is known of it: nodes of Koog's graph, what
 * CrewAI notes of crews and tasks, and functions that are traced with Patronus, which marks every span of the program
 * that it records.
 */
export const frameworkTelltales: readonly string[] = [KOOG_NODE, 'crew_key', 'pat.app']
