import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { checkInstalled } from '../../src/cli/doctor-installed.ts'
import { installManifests } from './doctor-program.ts'

let folder = ''
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'doctor-installed-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

const api = '@opentelemetry/api'
const base = '@opentelemetry/sdk-trace-base'
const current = '@opentelemetry/sdk-trace'
const nodeSdk = '@opentelemetry/sdk-node'

function check(nodeVersion = '22.15.0'): readonly string[] {
  return checkInstalled(folder, nodeVersion).map(({ status, text }) => `${status} ${text}`)
}

describe('checkInstalled()', () => {
  it.each([
    [{ [api]: '1.9.1', [base]: '2.12.1' }, `ok ${base} 2.12.1`],
    [{ [api]: '1.10.0', [current]: '3.1.1' }, `ok ${current} 3.1.1`],
    [{ [api]: '1.9.0', [nodeSdk]: '0.223.0', [base]: '2.12.1' }, `ok ${nodeSdk} 0.223.0, ${base} 2.12.1`],
    [{ [api]: '1.10.0', [nodeSdk]: '0.301.0' }, `ok ${nodeSdk} 0.301.0`],
    [
      { [api]: '1.10.0', [base]: '2.12.1' },
      `warn ${base} 2.12.1 is made for ${api} below 1.10, found 1.10.0: install ${api}@1.9`,
    ],
    [
      { [api]: '1.9.1', [nodeSdk]: '0.301.0' },
      `fail ${nodeSdk} 0.301.0 needs ${api} 1.10 or later, found 1.9.1: install ${api}@1.10`,
    ],
    [
      { [api]: '1.9.1', [base]: '1.30.1' },
      `fail ${base} 1.30.1: agent-reach needs an SDK of the 2.x or 3.x line`,
    ],
    [
      { [api]: '1.9.1', [nodeSdk]: '0.57.2' },
      `fail ${nodeSdk} 0.57.2: agent-reach needs an SDK of the 2.x or 3.x line`,
    ],
  ])('tells whether an SDK and the api fit: %j', (versions, expected) => {
    installManifests(folder, versions)
    expect(check()).toEqual(['ok Node 22.15.0', `ok ${api} ${versions[api]}`, expected])
  })

  it('fails where the SDK has an older api of its own', () => {
    installManifests(folder, { [api]: '1.10.0', [base]: '2.12.1' })
    installManifests(join(folder, 'node_modules', base), { [api]: '1.9.1' })
    expect(check()[2]).toBe(
      `fail ${base} 2.12.1 has an api of its own, 1.9.1, and programs with 1.10.0 do not see what it registers: ` +
        `install ${api}@1.9.1`,
    )
  })

  it('takes an SDK whose own api is the newer one', () => {
    installManifests(folder, { [api]: '1.9.1', [current]: '3.1.1' })
    installManifests(join(folder, 'node_modules', current), { [api]: '1.10.0' })
    expect(check()[2]).toBe(`ok ${current} 3.1.1`)
  })

  it('looks in the folders above', () => {
    installManifests(folder, { [api]: '1.9.1', [base]: '2.12.1' })
    const below = checkInstalled(join(folder, 'packages/shop'), '20.19.0')
    expect(below.map(({ status }) => status)).toEqual(['ok', 'ok', 'ok'])
  })

  it('warns of a Node that is too old for SDK 3.x, and for that only', () => {
    installManifests(folder, { [api]: '1.10.0', [current]: '3.1.1' })
    const warning = (version: string): string => `warn Node ${version}: SDK 3.x asks for Node 22.15 or later`
    expect(check('20.19.0')[0]).toBe(warning('20.19.0'))
    expect(check('22.14.0')[0]).toBe(warning('22.14.0'))
    expect(check('24.0.0')[0]).toBe('ok Node 24.0.0')
    installManifests(folder, { [api]: '1.9.1', [current]: '2.12.1' })
    expect(check('20.19.0')[0]).toBe('ok Node 20.19.0')
  })

  it('fails without an api and with one that is too old', () => {
    expect(check().slice(1)).toEqual([
      `fail no ${api} in node_modules of ${folder} or above: install it beside agent-reach, see docs/setup.md`,
      `warn no SDK in node_modules of ${folder} or above: without one nothing is traced, see docs/setup.md`,
    ])
    installManifests(folder, { [api]: '1.8.0' })
    expect(check()[1]).toBe(`fail ${api} 1.8.0: agent-reach needs 1.9 or later, below 2`)
  })
})
