import { escapeXml } from '../documents/xml.ts';
import type { SimulatorSettings } from '../settings.ts';

/** The page at `/`: what the Source is like, and where its documents are. */
export function homePage(
  settings: SimulatorSettings,
  origin: string,
  facts: { readonly resources: number; readonly events: number; readonly faults: readonly string[] },
): string {
  const { names, offers, title } = settings;
  const documents = [names.description, names.capabilitylist, ...offers.map((name) => names[name])];
  const rows = [
    ['Seed', String(settings.seed)],
    ['Resources to begin with', String(settings.resources)],
    ['Octets of one, on average', String(settings.size)],
    ['Changes a second', String(settings.rate)],
    ['Kinds of changes', settings.events.join(', ')],
    ['Resources now', `${facts.resources} (<a href="/resources">a sample of them</a>)`],
    ['Changes so far', String(facts.events)],
    ['Faults', facts.faults.length === 0 ? 'none' : escapeXml(facts.faults.join(', '))],
  ];
  return page(
    title,
    `<table>${rows.map(([name, value]) => `<tr><th>${name}<td>${value}`).join('\n')}</table>
<h2>Documents</h2>
<ul>${documents.map((path) => `<li><a href="${path}">${escapeXml(origin + path)}</a>`).join('\n')}</ul>
<h2>Control</h2>
<ul>${['', '/state', '/sha256sums', '/changes'].map((path) => `<li><a href="/control${path}">/control${path}</a>`).join('\n')}</ul>`,
  );
}

/** The page at `/resources`: some of them. */
export function samplePage(title: string, paths: readonly string[]): string {
  const items = paths.map((path) => `<li><a href="${escapeXml(path)}">${escapeXml(path)}</a>`);
  return page(`${title}: some of its resources`, `<ul>${items.join('\n')}</ul>`);
}

function page(title: string, body: string): string {
  const name = escapeXml(title);
  return `<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>${name}</title></head>
<body><h1>${name}</h1>
${body}
</body></html>
`;
}
