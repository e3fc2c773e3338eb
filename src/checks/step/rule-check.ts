import type { Finding } from '../../findings/finding.ts'
import type { NodeRules } from '../../rules/rules.ts'
import type { Step } from '../../steps/step.ts'

/** A check that holds one step against what the rules ask of its node; in all else like a `StepCheck`. */
export interface RuleCheck {
  readonly name: string
  check(step: Step, rules: NodeRules): readonly Finding[]
}
