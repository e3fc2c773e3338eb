import { mkdtemp, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { makeFolder } from '../exporters/make-folder.ts'
import { loadRules } from '../rules/load-rules.ts'
import { RulesError } from '../rules/rules-error.ts'
import type { DoctorCheck } from './doctor-check.ts'
import { describeSystemError, isSystemError } from './system-error.ts'

/** Checks whether a rules file can be used; says every problem in a line of its own. */
export function checkRules(file: string, cwd: string): readonly DoctorCheck[] {
  try {
    loadRules(resolve(cwd, file), { name: file })
    return [{ check: 'rules', status: 'ok', text: `the rules in ${file} can be used` }]
  } catch (error) {
    if (!(error instanceof RulesError)) throw error
    return error.message.split('\n').map((text) => ({ check: 'rules', status: 'fail', text }))
  }
}

/** Checks whether reports can be written into a folder, by doing it; takes back all that it makes. */
export async function checkReports(folder: string, cwd: string): Promise<DoctorCheck> {
  const path = resolve(cwd, folder)
  const missing = await listMissing(path)
  try {
    await makeFolder(path)
    // Reports lie in a folder for each day.
    const day = await mkdtemp(join(path, '.agent-reach-doctor-'))
    await writeFile(join(day, 'report.json'), '{}\n').finally(() => rm(day, { recursive: true, force: true }))
    return { check: 'reports', status: 'ok', text: `reports can be written into ${folder}` }
  } catch (error) {
    const found = isSystemError(error) ? describeSystemError(error) : String(error)
    const text = `reports cannot be written into ${folder}: expected a folder that can be written to, found ${found}`
    return { check: 'reports', status: 'fail', text }
  } finally {
    // One that holds something by now stays, and so do those above it.
    for (const made of missing) await rmdir(made).catch(() => {})
  }
}

/** A folder and those above it that are not there, the innermost first. */
async function listMissing(path: string): Promise<readonly string[]> {
  const isThere = await stat(path).then(
    () => true,
    () => false,
  )
  return isThere || dirname(path) === path ? [] : [path, ...(await listMissing(dirname(path)))]
}
