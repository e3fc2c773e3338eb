import { describe, expect, it } from 'vitest'
import { agent, model, reportOf } from '../chain/trace-script.ts'

describe('the agent of a report', () => {
  it('is the outermost one, also below a unit of work, whichever ended first', () => {
    const report = reportOf([
      { id: 'main', at: 0, ms: 90, attributes: { 'gen_ai.operation.name': 'invoke_workflow' } },
      { id: 'a', parent: 'main', at: 1, ms: 80, attributes: agent('manager') },
      { id: 'b', parent: 'a', at: 2, ms: 20, attributes: agent('searcher') },
      { id: 'm', parent: 'b', at: 3, attributes: model('Hello') },
    ])
    expect(report.agent_name).toBe('manager')
  })

  it('has the session that an outer step names', () => {
    const report = reportOf([
      { id: 'main', at: 0, ms: 90, attributes: { 'gen_ai.operation.name': 'invoke_workflow' } },
      { id: 'a', parent: 'main', at: 1, ms: 80, attributes: agent('manager', { 'session.id': 'outer' }) },
      { id: 'm', parent: 'a', at: 3, attributes: model('Hello', { 'session.id': 'inner' }) },
    ])
    expect(report.session_id).toBe('outer')
  })
})
