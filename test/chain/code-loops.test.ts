import { describe, expect, it } from 'vitest'
import { agent, model, reportOf, tool } from './trace-script.ts'
import { alertsOf, reportAnswers } from './loop-script.ts'

const write = (code: string): string => `Thought: I try.\nCode:\n\`\`\`py\n${code}\n\`\`\``
const plan = 'answer = ask("please find the opening hours of the northern harbour museum")'

describe('loops of agents that write code', () => {
  it('the code is the call where it leaves no step', () => {
    expect(alertsOf(reportAnswers([write(plan), write(plan)]))).toEqual([])
    expect(alertsOf(reportAnswers([write(plan), write(plan), write(plan)]))).toEqual(['exact warn 3'])
  })

  it('code that is written again once may be mended, twice is a warning', () => {
    const codes = ['find', 'help me find', 'help me and find'].map((word) =>
      write(plan.replace('find', word)),
    )
    expect(alertsOf(reportAnswers(codes.slice(0, 2)))).toEqual([])
    expect(alertsOf(reportAnswers(codes))).toEqual(['similar warn 3'])
  })

  it('what is said around the code makes no difference, and what holds no code is no call', () => {
    const answers = [1, 2, 3].map((n) => `Try ${n}\n${write(plan)}`)
    expect(alertsOf(reportAnswers(answers))).toEqual(['exact warn 3'])
    expect(alertsOf(reportAnswers(['I do not know.', 'I do not know.', 'I do not know.']))).toEqual([])
  })

  it('code that leads to steps is seen by these', () => {
    const turns = [1, 2, 3].flatMap((n) => [
      { id: `m${n}`, parent: 'run', at: 10 * n, ms: 2, attributes: model(write(plan)) },
      { id: `t${n}`, parent: 'run', at: 10 * n + 5, ms: 2, attributes: tool('ask', { turn: n }, `${n}`) },
    ])
    const report = reportOf([{ id: 'run', at: 0, ms: 100, attributes: agent('coder') }, ...turns])
    expect(alertsOf(report)).toEqual([])
  })
})
