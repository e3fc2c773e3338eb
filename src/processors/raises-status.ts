import type { EndedStep } from '../pipeline/ended-step.ts'

/**
 * Whether a step went so badly that its span is to be shown in red, where nobody has set its status: never a root, as
 * error rates count those.
 */
export function raisesStatus({ status, root }: EndedStep, markStatus: 'unset' | 'never'): boolean {
  return markStatus === 'unset' && root === null && status !== 'reached' && status !== 'skipped'
}
