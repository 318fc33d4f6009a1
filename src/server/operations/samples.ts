/** Labels, and the value where there is one. */
export type Sample = readonly [labels: Readonly<Record<string, string>>, value: number | undefined];

export interface Family {
  readonly name: string;
  readonly help: string;
  readonly type?: 'gauge' | 'counter';
  readonly samples: readonly Sample[];
}

/**
 * A family in the Prometheus text format; nothing where nothing is known. Of a thousand sources there are thousands of samples,
 * for which a registry takes ten times as long.
 */
export function samplesText({ name, help, type = 'gauge', samples }: Family): string {
  const known = samples.filter(([, value]) => value !== undefined);
  if (samples.length > 0 && known.length === 0) return '';
  const lines = known.map(([labels, value]) => `${name}${labelsText(labels)} ${value}`);
  return `\n${[`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...lines].join('\n')}\n`;
}

function labelsText(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([label, value]) => `${label}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escapeLabel(value: string): string {
  return value.replace(/[\\"\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`));
}
