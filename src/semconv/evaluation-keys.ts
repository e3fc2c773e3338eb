/** The event in which a verdict on a step is told, and its keys (OpenTelemetry GenAI conventions v0.1.0). */
export const EVENT_GEN_AI_EVALUATION_RESULT = 'gen_ai.evaluation.result'
export const ATTR_GEN_AI_EVALUATION_NAME = 'gen_ai.evaluation.name'
export const ATTR_GEN_AI_EVALUATION_SCORE_LABEL = 'gen_ai.evaluation.score.label'
export const ATTR_GEN_AI_EVALUATION_SCORE_VALUE = 'gen_ai.evaluation.score.value'
export const ATTR_GEN_AI_EVALUATION_EXPLANATION = 'gen_ai.evaluation.explanation'
/** By this attribute metrics tell agents apart. */
export const ATTR_GEN_AI_AGENT_NAME = 'gen_ai.agent.name'

/** The name of the evaluation that says whether a node was reached. */
export const NODE_EVALUATION = 'agent_reach.node'
