import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { serveTable } from '../../src/cli/serve-options.ts'
import { listCollectorPorts } from './collector-ports.ts'
import { readDockerfile } from './read-dockerfile.ts'
import { findService, readCompose, readEnvironment } from './read-compose.ts'
import {
  deploy,
  expandCollector,
  readCollectorVariables,
  readDeployed,
  readDeployedYaml,
  readYaml,
  type Tree,
} from './read-deployment.ts'

const kustomization = readDeployedYaml('kustomization.yaml')
const files = [...(kustomization['resources'] ?? [])].map(String)
const resources = files.flatMap((path) => readYaml(readDeployed(path)))
const secret = readDeployedYaml('kubernetes/secret.example.yaml')

function findResource(kind: string, name: string): Tree {
  const found = resources.find((each) => String(each['kind']) === kind && nameOf(each) === name)
  if (found === undefined) throw new Error(`There is no ${kind} ${name}`)
  return found
}

function nameOf(resource: Tree): string {
  return String(resource['metadata']?.['name'])
}

/** What a pod of a set is made of. */
function readPod(name: string): { readonly set: Tree; readonly pod: Tree; readonly container: Tree } {
  const set = findResource('StatefulSet', name)
  const pod = set['spec']?.['template']?.['spec']
  const [container, ...more] = [...(pod?.['containers'] ?? [])]
  if (pod === undefined || container === undefined || more.length > 0)
    throw new Error(`${name} has not one container`)
  return { set, pod, container }
}

function readVariables(container: Tree): ReadonlyMap<string, Tree> {
  return new Map([...(container['env'] ?? [])].map((each) => [String(each['name']), each]))
}

function listContainerPorts(container: Tree): readonly string[] {
  return [...(container['ports'] ?? [])].map((port) => String(port['containerPort']))
}

describe('the kustomization', () => {
  it('names files that are there, all of the manifests but the example of a secret', () => {
    for (const path of files) expect(existsSync(join(deploy, path)), path).toBe(true)
    expect(files).not.toContain('kubernetes/secret.example.yaml')
    expect(
      resources.map((each) => `${String(each['apiVersion'])} ${String(each['kind'])} ${nameOf(each)}`),
    ).toEqual([
      'v1 Namespace agent-reach',
      'v1 Service agent-reach',
      'apps/v1 StatefulSet agent-reach',
      'v1 Service collector',
      'apps/v1 StatefulSet collector',
    ])
  })

  it('takes the configuration of the Collector from where everybody takes it', () => {
    const [map] = [...(kustomization['configMapGenerator'] ?? [])]
    const [file = ''] = [...(map?.['files'] ?? [])].map(String)
    expect(file).toBe('config.yaml=collector/collector-config.yaml')
    const { pod, container } = readPod('collector')
    const [volume] = [...(pod['volumes'] ?? [])].filter((each) => 'configMap' in each)
    expect(volume?.['configMap']?.['name']).toBe(map?.['name'])
    const mount = [...(container['volumeMounts'] ?? [])].find((each) => each['name'] === volume?.['name'])
    expect([...(container['args'] ?? [])].map(String)).toEqual([
      `--config=${String(mount?.['mountPath'])}/config.yaml`,
    ])
  })

  it('renames the image that the manifests name', () => {
    const [image] = [...(kustomization['images'] ?? [])]
    expect(String(readPod('agent-reach').container['image']).split(':')[0]).toBe(image?.['name'])
  })
})

describe.each(['agent-reach', 'collector'])('the set %s', (name) => {
  const { set, pod, container } = readPod(name)
  const labels = set['spec']?.['template']?.['metadata']?.['labels']
  const ports = [...(container['ports'] ?? [])].map((port) => String(port['name']))

  it('is one pod with a disk, found by its service', () => {
    expect(set['spec']?.['replicas']).toBe(1)
    expect(set['spec']?.['selector']?.['matchLabels']).toEqual(labels)
    const service = findResource('Service', String(set['spec']?.['serviceName']))
    expect(service['spec']?.['selector']).toEqual(labels)
    const targets = [...(service['spec']?.['ports'] ?? [])].map((port) => String(port['targetPort']))
    expect(targets.filter((target) => !ports.includes(target))).toEqual([])
    const [claim] = [...(set['spec']?.['volumeClaimTemplates'] ?? [])]
    expect([...(claim?.['spec']?.['accessModes'] ?? [])].map(String)).toEqual(['ReadWriteOnce'])
  })

  it('mounts what it has, each thing once', () => {
    const claims = [...(set['spec']?.['volumeClaimTemplates'] ?? [])].map(nameOf)
    const volumes = [...(pod['volumes'] ?? [])].map((volume) => String(volume['name']))
    const mounts = [...(container['volumeMounts'] ?? [])].map((mount) => String(mount['name']))
    expect(mounts.toSorted()).toEqual([...claims, ...volumes].toSorted())
  })

  it('may do nothing that a pod of the profile "restricted" may not', () => {
    const namespace = findResource('Namespace', 'agent-reach')['metadata']?.['labels']
    expect(namespace?.['pod-security.kubernetes.io/enforce']).toBe('restricted')
    expect(pod['securityContext']).toMatchObject({
      runAsNonRoot: true,
      seccompProfile: { type: 'RuntimeDefault' },
    })
    expect(Number(pod['securityContext']?.['runAsUser'])).toBeGreaterThan(0)
    expect(pod['securityContext']?.['fsGroup']).toBe(pod['securityContext']?.['runAsUser'])
    expect(container['securityContext']).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    })
    expect(pod['automountServiceAccountToken']).toBe(false)
  })

  it('is asked whether it lives at ports that it has', () => {
    for (const probe of ['livenessProbe', 'readinessProbe']) {
      expect(ports, probe).toContain(String(container[probe]?.['httpGet']?.['port']))
    }
  })

  it('is not told of services by variables, which it would take for settings', () => {
    expect(pod['enableServiceLinks']).toBe(false)
  })

  it('has longer to end than it takes', () => {
    // `--stop-timeout` is 10s.
    expect(Number(pod['terminationGracePeriodSeconds'])).toBeGreaterThan(10)
  })
})

describe('the service in Kubernetes', () => {
  const { pod, container } = readPod('agent-reach')

  it('has variables that it knows, and the paths that the image has', () => {
    const known = serveTable.options.map(
      ({ name }) => `AGENT_REACH_${name.replaceAll('-', '_').toUpperCase()}`,
    )
    const variables = readVariables(container)
    expect([...variables.keys()].filter((name) => !known.includes(name))).toEqual([])
    const mounts = [...(container['volumeMounts'] ?? [])].map((mount) => String(mount['mountPath']))
    expect(mounts).toEqual(['/data', '/run/agent-reach', '/tmp'])
    expect(String(variables.get('AGENT_REACH_TOKEN_FILE')?.['value'])).toBe('/run/agent-reach/token')
    expect(container['livenessProbe']?.['httpGet']?.['path']).toBe('/healthz')
    expect(container['readinessProbe']?.['httpGet']?.['path']).toBe('/readyz')
  })

  it('has the port that the image has', () => {
    const exposed = readDockerfile(readDeployed('Dockerfile')).filter(({ name }) => name === 'EXPOSE')
    expect(listContainerPorts(container)).toEqual(exposed.map(({ value }) => value))
  })

  it('takes the token from the secret of the example', () => {
    const volume = [...(pod['volumes'] ?? [])].find((each) => 'secret' in each)?.['secret']
    expect(volume?.['secretName']).toBe(nameOf(secret))
    const [item] = [...(volume?.['items'] ?? [])]
    expect(Object.keys(secret['stringData'] ?? {})).toEqual([String(item?.['key'])])
    expect(secret['metadata']?.['namespace']).toBe(kustomization['namespace'])
  })

  it('keeps less than its disk holds', () => {
    const [claim] = [...(readPod('agent-reach').set['spec']?.['volumeClaimTemplates'] ?? [])]
    expect(String(claim?.['spec']?.['resources']?.['requests']?.['storage'])).toBe('10Gi')
    expect(String(readVariables(container).get('AGENT_REACH_RETENTION_SIZE')?.['value'])).toBe('8GiB')
  })
})

describe('the Collector in Kubernetes', () => {
  const { container } = readPod('collector')
  const variables = readVariables(container)

  it('is the one of Compose', () => {
    expect(container['image']).toBe(findService(readCompose({}), 'collector')['image'])
  })

  it('has the variables that its configuration asks for, and those of Compose where they mean the same', () => {
    const asked = readCollectorVariables(readDeployed('collector/collector-config.yaml'))
    expect([...variables.keys()].filter((name) => name !== 'GOMEMLIMIT' && !asked.has(name))).toEqual([])
    const inCompose = readEnvironment(findService(readCompose({}), 'collector'))
    for (const name of [
      'COLLECTOR_HOST',
      'COLLECTOR_QUEUE',
      'COLLECTOR_MEMORY_MIB',
      'GOMEMLIMIT',
      'REPORT_SERVICE_URL',
    ]) {
      expect(String(variables.get(name)?.['value']), name).toBe(inCompose[name])
    }
    expect(variables.get('AGENT_REACH_TOKEN')?.['valueFrom']?.['secretKeyRef']).toEqual({
      name: nameOf(secret),
      key: 'token',
    })
  })

  it('has the ports at which it listens by its configuration', () => {
    const env = Object.fromEntries([...variables].map(([name, { value }]) => [name, String(value)]))
    const config = expandCollector(readDeployed('collector/collector-config.yaml'), env)
    expect(listContainerPorts(container).toSorted()).toEqual(listCollectorPorts(config).toSorted())
  })

  it('sends to the port of the service', () => {
    const [port] = [...(findResource('Service', 'agent-reach')['spec']?.['ports'] ?? [])]
    expect(String(variables.get('REPORT_SERVICE_URL')?.['value'])).toBe(
      `http://agent-reach:${String(port?.['port'])}`,
    )
  })
})
