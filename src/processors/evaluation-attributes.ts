import type { EndedStep } from '../pipeline/ended-step.ts'
import {
  ATTR_GEN_AI_EVALUATION_EXPLANATION,
  ATTR_GEN_AI_EVALUATION_NAME,
  ATTR_GEN_AI_EVALUATION_SCORE_LABEL,
  ATTR_GEN_AI_EVALUATION_SCORE_VALUE,
  NODE_EVALUATION,
} from '../semconv/evaluation-keys.ts'
import type { MarkAttributes } from './live-span.ts'
import { toReason } from './step-attributes.ts'

/** The verdict on a step as an evaluation of the GenAI conventions: 1 where it is reached, else 0. */
export function toEvaluationAttributes(step: EndedStep): MarkAttributes {
  const reason = toReason(step)
  return {
    [ATTR_GEN_AI_EVALUATION_NAME]: NODE_EVALUATION,
    [ATTR_GEN_AI_EVALUATION_SCORE_LABEL]: step.status,
    [ATTR_GEN_AI_EVALUATION_SCORE_VALUE]: step.status === 'reached' ? 1 : 0,
    ...(reason !== '' && { [ATTR_GEN_AI_EVALUATION_EXPLANATION]: reason }),
  }
}
