import type { Found } from '../../bridge/finding/find-repository.ts';
import {
  bestFileFormat,
  identityHost,
  nightlySchedule,
  quarterDailySchedule,
} from '../../bridge/finding/found-settings.ts';
import type { RepositoryInfo } from '../../core/adapter.ts';

export interface ConfigChoices {
  /** Of the source. */
  readonly name: string;
  readonly baseUrl: string;
  readonly contact?: string | undefined;
}

/** The configuration that harvests what was found, with what one needs to know to change it. */
export function configText(found: Found, { name, baseUrl, contact: own }: ConfigChoices): string {
  const { info } = found;
  const contact = own ?? info.adminEmails?.[0];
  const port = ownPort(baseUrl);
  return [
    '# Written by rsbridge init; every setting is explained in docs/configuration.md',
    `baseUrl: ${quoted(baseUrl)}   # the public address of the bridge`,
    ...(port === undefined ? [] : [`listen: { port: ${port} }   # as in baseUrl`]),
    `title: ${quoted(info.name)}`,
    contact === undefined
      ? '# contact: you@example.org   # goes into the User-Agent of every request'
      : `contact: ${quoted(contact)}   # goes into the User-Agent of every request: should be you`,
    'database: { client: sqlite, file: data/rsbridge.db }',
    'sources:',
    `  ${name}:   # the first segment of its URIs; changing it later changes them all`,
    ...linesOf(found),
    '',
  ].join('\n');
}

function linesOf(found: Found): readonly string[] {
  if (found.adapter === 'resourcesync') return sourceLines(found);
  return found.adapter === 'oai-pmh' ? oaiLines(found) : dspaceLines(found);
}

function sourceLines({ url, info }: Found): readonly string[] {
  const hasChanges = info.deletedRecords !== 'no';
  return [
    `    adapter: resourcesync   # ${comment(info.protocol)}; see docs/follow.md`,
    `    url: ${quoted(url)}`,
    '    files: { mode: proxy }   # or link, mirror, none',
    ...(hasChanges ? often : nightly),
  ];
}

const defaultPort = 8080;

/**
 * Where the bridge is to listen, so that it is seen at its `baseUrl`. A port for https is that of whoever speaks TLS
 * before it; one that goes without saying is theirs as well.
 */
function ownPort(baseUrl: string): number | undefined {
  const { protocol, port } = URL.canParse(baseUrl) ? new URL(baseUrl) : { protocol: '', port: '' };
  if (protocol !== 'http:' || port === '' || Number(port) === defaultPort) return undefined;
  return Number(port);
}

function oaiLines({ url, info }: Found): readonly string[] {
  const formats = info.formats.filter(({ selected }) => selected).map((format) => quoted(format.name));
  const others = info.formats.filter(({ selected }) => !selected).map((format) => format.name);
  return [
    '    adapter: oai-pmh',
    `    url: ${quoted(url)}`,
    `    formats: [${formats.join(', ')}]${others.length === 0 ? '' : `   # also offered: ${comment(others.join(', '))}`}`,
    filesLine(info),
    ...often,
  ];
}

/** How the whole repository is read again says what a missed change may cost. */
const often = [
  '    schedule: "*/15 * * * *"   # what is new, every quarter of an hour (UTC)',
  '    fullPass: "0 3 * * 0"      # everything, Sundays at three',
];

function dspaceLines(found: Found): readonly string[] {
  const { adapter, url, oai, api } = found;
  const isLegacy = adapter === 'dspace-legacy';
  const { host, isStated } = identityHost(found);
  const example = `oai:${comment(host)}:HANDLE`;
  return [
    `    adapter: ${adapter}   # ${comment(api?.version ?? 'DSpace')}, by REST; see docs/dspace.md`,
    `    url: ${quoted(url)}`,
    oai === undefined
      ? '    # oai: https://…/oai/request   # its OAI-PMH endpoint; none was found'
      : `    oai: ${quoted(oai.url)}   # ${isLegacy ? 'tells what changed' : 'for formats that it alone has'}`,
    isStated
      ? `    identity: oai   # items are ${example}, as by OAI-PMH; uuid: by their UUIDs`
      : `    identity: oai   # items are ${example}; if OAI-PMH has another host, oai:HOST; uuid: by their UUIDs`,
    `    formats: [oai_dc, dim, qdc, json]${oai === undefined ? '' : '   # { name: mets, from: oai } takes one from OAI-PMH'}`,
    '    files: { mode: proxy }   # or link, mirror, none; of the bundle ORIGINAL, or bundles: [ORIGINAL, …]',
    ...(isLegacy ? ['    timeZone: UTC   # of its dates, e.g. Asia/Tokyo'] : []),
    ...(!isLegacy ? often : oai === undefined ? nightly : fourTimesADay),
  ];
}

const nightly = [
  `    schedule: "${nightlySchedule}"    # reads everything, every night at two (UTC)`,
  '    fullPass: "0 3 * * 0"    # the same, and notices what vanished: Sundays at three',
];

/** DSpace brings the index of its OAI-PMH endpoint up to date at night. */
const fourTimesADay = [
  `    schedule: "${quarterDailySchedule}"   # what is new; OAI-PMH mostly knows of that in the morning (UTC)`,
  '    fullPass: "0 3 * * 0"      # everything, Sundays at three',
];

function filesLine(info: RepositoryInfo): string {
  const best = bestFileFormat(info);
  return best === undefined
    ? '    files: { mode: proxy }   # found by links, and on landing pages; or link, mirror, none'
    : `    files: { from: ${quoted(best)}, mode: proxy }   # the format that knows the files; mode: or link, mirror, none`;
}

/** What comes from outside names no variable of ours. */
function quoted(text: string): string {
  return JSON.stringify(text.replaceAll('${', '$ {'));
}

function comment(text: string): string {
  return text.replaceAll('${', '$ {').replace(/[\p{Cc}\u2028\u2029]/gu, ' ');
}
