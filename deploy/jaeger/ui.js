// The configuration of Jaeger's page. A function, not JSON: in JSON a value is encoded before it gets into a link, so that
// an attribute that is an address cannot be one.
function UIConfig() {
  const key = 'agent_reach.report.url'
  return {
    linkPatterns: [
      {
        // The root of a run leads to its report, where the service or the processor is told of a template for links.
        type: 'tags',
        key,
        // Spans come from anywhere: no `javascript:`.
        value: (value) => /^https?:\/\//.test(value),
        url: { parameters: [key], template: (values) => values[key] },
        text: 'Report of this run',
      },
    ],
  }
}
