import { startSoak } from '../../soak/run-soak.mjs'

/**
 * Starts to send traces through a pipeline, until `finish` is called; then the checker looks for each span of them in the
 * reports of the service.
 *
 * @param {Awaited<ReturnType<typeof import('./start-pipeline.mjs').startPipeline>>} pipeline
 * @param {{ seed: number, pace: number, wait: number }} load milliseconds after each request, seconds for all reports
 */
export function startLoad(pipeline, { seed, pace, wait }) {
  return startSoak({
    url: pipeline.service.url,
    to: pipeline.collector.url,
    token: pipeline.token,
    seed,
    pace,
    wait,
    hold: true,
    parallel: 3,
    // Jaeger keeps copies: those that are sent on purpose would hide the others.
    duplicates: 0,
    torn: 0,
  })
}
