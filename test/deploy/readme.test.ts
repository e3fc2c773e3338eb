import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { readCompose } from './read-compose.ts'
import { deploy, entriesOf, readDeployed, readDeployedYaml } from './read-deployment.ts'

const page = readDeployed('README.md')

describe('the page of the deployment', () => {
  it('names the ports that Compose opens, and no others', () => {
    const opened = entriesOf(readCompose({})['services']).flatMap(([, service]) =>
      [...(service['ports'] ?? [])].map((port) => String(port).split(':')[1]),
    )
    const named = Array.from(page.matchAll(/localhost:(\d+)/gu), ([, port]) => port)
    expect(new Set(named)).toEqual(new Set(opened))
  })

  it('links to pages that are there', () => {
    const links = Array.from(page.matchAll(/\]\((\.\.[^)#]+)/gu), ([, path = '']) => path)
    expect(links.length).toBeGreaterThan(4)
    expect(links.filter((path) => !existsSync(join(deploy, path)))).toEqual([])
  })

  it('names files of this folder, and variables that Compose asks for', () => {
    const names = Array.from(page.matchAll(/`([\w./-]+\.(?:ya?ml))`/gu), ([, name = '']) => name)
    expect(names.length).toBeGreaterThan(3)
    expect(names.filter((name) => !existsSync(join(deploy, name)))).toEqual([])
    const compose = readDeployed('docker-compose.yml')
    for (const name of ['THROUGH', 'AGENT_REACH_TOKEN', 'TRACES_KEEP_PERCENT', 'TRACES_DECISION_WAIT']) {
      expect(page).toContain(name)
      expect(compose).toContain(`\${${name}:`)
    }
  })

  it('says of the dashboard and of Kubernetes what they are called', () => {
    const dashboard = JSON.parse(readDeployed('grafana/dashboards/agent-reach.json')) as {
      readonly uid: string
      readonly panels: readonly { readonly title: string }[]
    }
    expect(page).toContain(`http://localhost:3000/d/${dashboard.uid}`)
    expect(dashboard.panels.map(({ title }) => title)).toContain('Runs that failed, the newest first')
    const namespace = String(readDeployedYaml('kustomization.yaml')['namespace'])
    expect(page).toContain(`kubectl create namespace ${namespace}`)
    expect(page).toContain(`collector.${namespace}:4318`)
  })
})
