import { type DoctorCheck, SETUP_PAGE } from './doctor-check.ts'
import { API_PACKAGE, findPackage, type FoundPackage, readVersion } from './doctor-packages.ts'

const SDK_PACKAGES = ['sdk-node', 'sdk-trace-node', 'sdk-trace-base', 'sdk-trace'] as const

/**
 * Checks Node, the api and the SDK that are installed for a program, and whether they fit each other.
 *
 * @param folder absolute; `node_modules` of it and of the folders above are searched
 * @param nodeVersion such as `20.19.0`
 */
export function checkInstalled(folder: string, nodeVersion: string): readonly DoctorCheck[] {
  const api = findPackage(API_PACKAGE, folder)
  const sdks = SDK_PACKAGES.map((name) => findPackage(`@opentelemetry/${name}`, folder)).filter(
    (found) => found !== null,
  )
  return [
    checkNode(
      nodeVersion,
      sdks.map(({ version }) => version),
    ),
    checkApi(api, folder),
    ...checkSdks(sdks, { api, folder }),
  ]
}

/** Checks whether Node is new enough for an SDK of one of these versions. */
export function checkNode(nodeVersion: string, sdkVersions: readonly string[]): DoctorCheck {
  const [major, minor] = readVersion(nodeVersion)
  const isOld = major < 22 || (major === 22 && minor < 15)
  if (isOld && sdkVersions.some((version) => readSdkLine(version) >= 3)) {
    const text = `Node ${nodeVersion}: SDK 3.x asks for Node 22.15 or later`
    return { check: 'node', status: 'warn', text }
  }
  return { check: 'node', status: 'ok', text: `Node ${nodeVersion}` }
}

/** Says what is wrong with an SDK beside an api; `null` where nothing is. */
export function findMisfit(
  sdk: Pick<FoundPackage, 'name' | 'version'>,
  apiVersion: string | null,
): DoctorCheck | null {
  const name = `${sdk.name} ${sdk.version}`
  const line = readSdkLine(sdk.version)
  if (line < 2) {
    return { check: 'sdk', status: 'fail', text: `${name}: agent-reach needs an SDK of the 2.x or 3.x line` }
  }
  if (apiVersion === null) return null
  const [, minor] = readVersion(apiVersion)
  if (line >= 3 && minor < 10) {
    const text = `${name} needs ${API_PACKAGE} 1.10 or later, found ${apiVersion}: install ${API_PACKAGE}@1.10`
    return { check: 'sdk', status: 'fail', text }
  }
  if (line === 2 && minor >= 10) {
    const text = `${name} is made for ${API_PACKAGE} below 1.10, found ${apiVersion}: install ${API_PACKAGE}@1.9`
    return { check: 'sdk', status: 'warn', text }
  }
  return null
}

/** The line of an SDK: what is `0.2xx` in `sdk-node` belongs to 2.x, `0.3xx` to 3.x. */
function readSdkLine(version: string): number {
  const [major, minor] = readVersion(version)
  return major > 0 ? major : Math.max(1, Math.floor(minor / 100))
}

function checkApi(api: FoundPackage | null, folder: string): DoctorCheck {
  if (api === null) {
    const text = `no ${API_PACKAGE} in node_modules of ${folder} or above: install it beside agent-reach, see ${SETUP_PAGE}`
    return { check: 'api', status: 'fail', text }
  }
  const [major, minor] = readVersion(api.version)
  const isFit = major === 1 && minor >= 9
  const found = `${API_PACKAGE} ${api.version}`
  if (isFit) return { check: 'api', status: 'ok', text: found }
  return { check: 'api', status: 'fail', text: `${found}: agent-reach needs 1.9 or later, below 2` }
}

function checkSdks(
  sdks: readonly FoundPackage[],
  { api, folder }: { readonly api: FoundPackage | null; readonly folder: string },
): readonly DoctorCheck[] {
  if (sdks.length === 0) {
    const text = `no SDK in node_modules of ${folder} or above: without one nothing is traced, see ${SETUP_PAGE}`
    return [{ check: 'sdk', status: 'warn', text }]
  }
  const wrong = sdks.map((sdk) => checkSdk(sdk, api)).filter((check) => check !== null)
  if (wrong.length > 0) return wrong
  const names = sdks.map(({ name, version }) => `${name} ${version}`).join(', ')
  return [{ check: 'sdk', status: 'ok', text: names }]
}

function checkSdk(sdk: FoundPackage, programApi: FoundPackage | null): DoctorCheck | null {
  const sdkApi = findPackage(API_PACKAGE, sdk.folder)
  if (sdkApi !== null && programApi !== null && sdkApi.folder !== programApi.folder) {
    const [, minor] = readVersion(sdkApi.version)
    const [, programMinor] = readVersion(programApi.version)
    if (programMinor > minor) {
      const text =
        `${sdk.name} ${sdk.version} has an api of its own, ${sdkApi.version}, and programs with ` +
        `${programApi.version} do not see what it registers: install ${API_PACKAGE}@${sdkApi.version}`
      return { check: 'sdk', status: 'fail', text }
    }
  }
  return findMisfit(sdk, sdkApi?.version ?? null)
}
