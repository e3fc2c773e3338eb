/** One thing that is wrong with rules. */
export interface RulesProblem {
  /** The name of the file, as the user gave it; `null` for rules that are an object. */
  readonly file: string | null
  /** From 1; `null` where the place has no line. */
  readonly line: number | null
  /** The place in the rules, its keys joined by dots; empty for the whole. */
  readonly path: string
  readonly expected: string
  readonly found: string
}

/** Rules that cannot be used. The message has a line for each problem. */
export class RulesError extends Error {
  override readonly name = 'RulesError'
  readonly problems: readonly RulesProblem[]

  constructor(problems: readonly RulesProblem[]) {
    super(problems.map(describeRulesProblem).join('\n'))
    this.problems = problems
  }
}

function describeRulesProblem({ file, line, path, expected, found }: RulesProblem): string {
  const place = file === null ? 'the rules' : line === null ? file : `${file}:${line}`
  return `Cannot use ${place}${path === '' ? '' : ` at ${path}`}: expected ${expected}, found ${found}`
}
