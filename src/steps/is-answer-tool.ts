/**
 * Names of tools by which an agent gives its answer rather than finds anything out, and where each is from. Compared
 * without case, and without what separates words.
 */
const ANSWER_TOOLS: ReadonlySet<string> = new Set([
  // smolagents
  'finalanswer',
  'finalanswertool',
  // Pydantic AI, for a typed output
  'finalresult',
  // OpenHands
  'finish',
  // SWE-agent
  'submit',
  // Cline, Roo Code
  'attemptcompletion',
  // Gemini CLI
  'completetask',
])

/** What the first letter tells of most names, in a part of the time that it takes to compare the whole. */
const BEGINS_ALIKE = /^[\s_.-]*[acfs]/iu

/** True for the name of a tool by which an agent gives its answer, as `final_answer` of smolagents. */
export function isAnswerTool(name: string): boolean {
  return BEGINS_ALIKE.test(name) && ANSWER_TOOLS.has(name.replaceAll(/[\s_.-]/gu, '').toLowerCase())
}
