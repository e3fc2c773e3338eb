import { describe, expect, it, onTestFinished } from 'vitest'
import { parseArguments } from '../../../src/cli/command-options.ts'
import { readServeSettings } from '../../../src/cli/read-serve-settings.ts'
import { findSettings, serveTable } from '../../../src/cli/serve-options.ts'
import { RulesError } from '../../../src/rules/rules-error.ts'
import { type ReportServiceOptions, startReportService } from '../../../src/server/index.ts'
import { toServiceSettings } from '../../../src/server/report-service-options.ts'
import { toMessage } from '../../otlp/sdk-span.ts'
import { rootOf, toolOf, traceIdOf } from './start-closer.ts'

const commandSettings = (...args: readonly string[]) =>
  readServeSettings({ found: findSettings(parseArguments(args, serveTable), {}), cwd: '/', env: {} })

describe('a service inside a program', () => {
  it('has the defaults of the command', () => {
    expect({ ...toServiceSettings({}), store: '/agent-reach.db' }).toEqual(commandSettings())
    const url = 'http://collector:4328'
    expect(toServiceSettings({ forward: { url } }).forward).toEqual(commandSettings('--forward', url).forward)
  })

  it.each<[Record<string, unknown>, string]>([
    [{ prot: 4318 }, "found 'prot'"],
    [{ port: '4318' }, 'expected port to be a whole number from 0 to 65535, found 4318'],
    [{ port: 70_000 }, 'expected port to be a whole number from 0 to 65535, found 70000'],
    [{ maxBodyBytes: -1 }, 'expected maxBodyBytes to be a whole number from 0, found -1'],
    [
      { closing: { settleMillis: Number.NaN } },
      'expected closing.settleMillis to be a whole number from 0, found NaN',
    ],
    [{ retention: { maxAgeMs: 0.5 } }, 'expected retention.maxAgeMs to be a whole number from 0, found 0.5'],
    [{ store: ':memory:', host: '0.0.0.0' }, 'expected a bearer token'],
    [{ store: ':memory:', port: 0, forward: { url: 'ftp://x' } }, 'http'],
    [{ store: '/no/such/folder/reports.db' }, 'expected a folder to put it into, found nothing'],
  ])('is refused with %j', async (options, message) => {
    await expect(startReportService(options as ReportServiceOptions)).rejects.toThrow(message)
  })

  it('is refused with rules that cannot be used', async () => {
    const rules = { version: 7 } as unknown as NonNullable<ReportServiceOptions['rules']>
    await expect(startReportService({ store: ':memory:', rules })).rejects.toBeInstanceOf(RulesError)
  })

  it('takes spans, reports by its rules, tells what it does, and can be started again after it was stopped', async () => {
    const messages: string[] = []
    const service = await startReportService({
      store: ':memory:',
      port: 0,
      closing: { settleMillis: 0 },
      rules: { version: 1, guards: { budget: { tool_calls: 1 } } },
      showSpans: false,
      log: (_level, message) => void messages.push(message),
    })
    const { url } = service
    onTestFinished(() => service.stop())
    expect(service.settings.closing).toMatchObject({ settleMillis: 0, idleMillis: 1_800_000 })
    const sent = await fetch(`${url}/v1/traces`, {
      method: 'POST',
      headers: { 'content-type': 'application/x-protobuf' },
      body: Uint8Array.from(toMessage(rootOf(1), toolOf(1, 1), toolOf(1, 2))),
    })
    expect(sent.status).toBe(200)
    const list = async (): Promise<
      readonly { readonly name: string; readonly alerts: readonly string[] }[]
    > => {
      const answer = (await (await fetch(`${url}/api/v1/chains?trace_id=${traceIdOf(1)}`)).json()) as {
        readonly items: readonly { readonly name: string; readonly alerts: readonly string[] }[]
      }
      return answer.items
    }
    await expect.poll(list).toMatchObject([{ alerts: ['budget'] }])
    const [chain] = await list()
    expect((await fetch(`${url}/api/v1/chains/${chain?.name}/spans`)).status).toBe(403)
    await service.stop()
    await service.stop()
    await expect(fetch(url)).rejects.toThrow()
    expect(messages).toEqual(['service stopped'])
    const again = await startReportService({ store: ':memory:', port: Number(new URL(url).port) })
    expect(again.url).toBe(url)
    await again.stop()
  })
})
