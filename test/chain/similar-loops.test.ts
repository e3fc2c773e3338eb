import { describe, expect, it } from 'vitest'
import type { LoopRule } from '../../src/rules/rules-file.ts'
import { alertsOf, reportCalls } from './loop-script.ts'

/** Each query gets a result of its own. */
function ask(queries: readonly string[], loop?: LoopRule): readonly string[] {
  const calls = queries.map((query, n) => ({ args: { query }, result: { hits: [`page ${n}`] } }))
  return alertsOf(reportCalls(calls, loop))
}

const QUESTION = 'opening hours of the northern harbour museum'

describe('similar loops', () => {
  it('a question that is asked again in other words is a warning', () => {
    expect(ask([QUESTION])).toEqual([])
    // All of the seven words, and two more: 7 of 9.
    expect(ask([QUESTION, 'northern harbour museum official opening hours of the today'])).toEqual([
      'similar warn 2',
    ])
    expect(ask([QUESTION, 'hours of opening of the northern harbour museum'])).toEqual(['similar warn 2'])
  })

  it('fewer words in common than the rules ask for are none', () => {
    const longer = `${QUESTION} with prices for groups`
    // 7 of 11 words.
    expect(ask([QUESTION, longer])).toEqual(['similar warn 2'])
    expect(ask([QUESTION, longer], { similar: 0.7 })).toEqual([])
    expect(ask([QUESTION, longer], { similar: 'off' })).toEqual([])
  })

  it('takes one wording less than equal calls', () => {
    const wordings = [QUESTION, `${QUESTION} today`, `${QUESTION} today please`]
    expect(ask(wordings.slice(0, 2), { repeats: 4 })).toEqual([])
    expect(ask(wordings, { repeats: 4 })).toEqual(['similar warn 3'])
  })

  it('one word in the place of another asks for something else', () => {
    expect(ask([QUESTION, QUESTION.replace('northern', 'southern')])).toEqual([])
  })

  it('another number, id, path or short value asks for something else', () => {
    expect(ask([`${QUESTION} in 2024`, `${QUESTION} in 2025`])).toEqual([])
    expect(ask([`please read the whole file src/a.ts`, `please read the whole file src/b.ts`])).toEqual([])
    const flights = ['JFK', 'LAX'].map((to) => ({ args: { note: QUESTION, from: 'SEA', to }, result: to }))
    expect(alertsOf(reportCalls(flights))).toEqual([])
  })

  it('a value that is added or left out does not', () => {
    const calls = [{ query: QUESTION, year: '2024' }, { query: `${QUESTION} today` }].map((args) => ({
      args,
    }))
    expect(alertsOf(reportCalls(calls))).toEqual(['similar warn 2'])
  })

  it('a list in which the states move on is not the same in other words', () => {
    const todos = (...states: readonly string[]): object => ({
      args: { todos: states.map((status, n) => ({ text: `${QUESTION} ${'and then '.repeat(n)}`, status })) },
    })
    const calls = [
      todos('open', 'open', 'done'),
      todos('busy', 'open', 'done'),
      todos('done', 'busy', 'open'),
    ]
    expect(alertsOf(reportCalls(calls))).toEqual([])
  })

  it('Chinese is compared by each two characters', () => {
    const question = '请帮我查询订单七号包裹现在的物流状态'
    expect(ask([question, `${question}和位置`])).toEqual(['similar warn 2'])
    expect(ask([question, '把客户的退款申请转给人工客服处理吧'])).toEqual([])
    // A name in the place of another: as many pairs out as in.
    expect(ask(['请帮我查询北京明天下午的天气情况', '请帮我查询上海明天下午的天气情况'])).toEqual([])
  })

  it('white space is significant: code whose indentation is repaired is a new call', () => {
    const body = 'for item in list of things:\n  print the name of item\n  stop when nothing is left'
    expect(ask([body, body.replaceAll('\n  ', '\n    ')])).toEqual([])
    expect(ask([body, `${body}\n  and print the name again`])).toEqual(['similar warn 2'])
  })

  it('JSON in a text is compared by what it holds', () => {
    const text = (extra: object): string => JSON.stringify({ question: QUESTION, ...extra })
    expect(ask([text({}), text({ limit: 5 })])).toEqual(['similar warn 2'])
    expect(ask([text({ page: 1 }), text({ page: 2 })])).toEqual([])
  })

  it('where nothing is said in words a new result is progress', () => {
    const paging = [{ page: '' }, {}, { page: null }].map((args, n) => ({ args, result: `part ${n}` }))
    expect(alertsOf(reportCalls(paging))).toEqual([])
    const stuck = [{ page: '' }, {}, { page: null }].map((args) => ({ args, result: 'part 0' }))
    expect(alertsOf(reportCalls(stuck))).toEqual(['similar warn 3'])
  })

  it('questions that are asked side by side repeat nothing', () => {
    const calls = [QUESTION, `${QUESTION} today`].map((query, n) => ({ args: { query }, at: 10 + n }))
    expect(alertsOf(reportCalls(calls))).toEqual([])
  })

  it('only the last calls of the node within the window count', () => {
    const others = ['a b', 'c d', 'e f']
    expect(ask([QUESTION, ...others, `${QUESTION} today`], { repeats: 2, stop_at: 2, window: 3 })).toEqual([])
  })

  it('fields that the rules ignore make no difference, not even between equal calls', () => {
    const calls = [1, 2, 3].map((at) => ({ args: { order: 'A-7', at }, result: 'open' }))
    expect(alertsOf(reportCalls(calls))).toEqual([])
    expect(alertsOf(reportCalls(calls, { ignore_fields: ['at'] }))).toEqual(['exact warn 3'])
  })

  it('nodes that the rules exempt are passed over', () => {
    expect(ask([QUESTION, `${QUESTION} today`], { exempt: ['web_*'] })).toEqual([])
  })
})
