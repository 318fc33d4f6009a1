import type { ServerResponse } from 'node:http';
import { createAdapter } from '../../../adapters/index.ts';
import type {
  AdapterSettings,
  Checkpoint,
  IdentifierPage,
  Lessons,
  Page,
  PageRequest,
} from '../../../src/core/adapter.ts';
import { createContext } from './http-double.ts';
import { type Answer, envelope, failure, oaiDc, provide } from './scripted-provider.ts';

export interface DatedRecord {
  readonly id: string;
  readonly at: string;
  readonly set?: string;
  readonly deleted?: boolean;
}

/** What a request to a list turns out to be, before a script has its say. */
export interface ListRequest {
  readonly verb: 'ListRecords' | 'ListIdentifiers';
  readonly query: URLSearchParams;
  readonly url: string;
  readonly token: string | undefined;
  /** As asked, or as the token remembers. */
  readonly from: string | undefined;
  readonly until: string | undefined;
  readonly set: string | undefined;
  readonly offset: number;
  /** Everything the list holds, and the part that is this page. */
  readonly matching: readonly DatedRecord[];
  readonly page: readonly DatedRecord[];
  /** Of requests to lists, from 1. */
  readonly nth: number;
  /** The ordinary answer, or one with another token, size or page. */
  readonly answer: (other?: {
    readonly page?: readonly DatedRecord[];
    readonly token?: string;
    readonly attributes?: string;
  }) => string;
}

export interface Behaviour {
  readonly pageSize?: number;
  readonly earliest?: string;
  readonly granularity?: 'day' | 'second';
  /** No completeListSize, no cursor. */
  readonly sizeless?: boolean;
  /** Milliseconds before each answer. */
  readonly latency?: number;
  /** What ListSets names; default: there are no sets. */
  readonly sets?: readonly string[];
  /** Formats beside oai_dc, of all records. */
  readonly formats?: readonly string[];
  readonly now?: string;
  readonly list?: (request: ListRequest) => Answer | undefined;
  readonly getRecord?: (id: string) => Answer | undefined;
}

/** Records over some years, each a day after the one before, in the order of their dates. */
export function dated(count: number, start = '2020-01-01T00:00:00Z', step = 86_400): readonly DatedRecord[] {
  return Array.from({ length: count }, (_, index) => ({
    id: `r${index}`,
    at: `${new Date(Date.parse(start) + index * step * 1000).toISOString().slice(0, 19)}Z`,
  }));
}

const header = ({ id, at, set, deleted }: DatedRecord) =>
  `<header${deleted === true ? ' status="deleted"' : ''}><identifier>${id}</identifier><datestamp>${at}</datestamp>${set === undefined ? '' : `<setSpec>${set}</setSpec>`}</header>`;

const whole = (record: DatedRecord) =>
  `<record>${header(record)}${record.deleted === true ? '' : `<metadata><oai_dc:dc ${oaiDc}><dc:title>${record.id}</dc:title></oai_dc:dc></metadata>`}</record>`;

/** A repository that keeps to the protocol, dates and sets included, but for what its behaviour says. */
export async function datedRepository(records: () => readonly DatedRecord[], behaviour: Behaviour = {}) {
  const { pageSize = 10, now = '2026-11-20T10:00:00Z', granularity = 'second' } = behaviour;
  let nth = 0;
  let under = 0;
  let most = 0;
  const answered = (text: string) => text.replace('2026-11-20T10:00:00Z', now);
  const provider = await provide((query, _nth, url) => {
    const answer = ordinary(query, url);
    const { latency = 0 } = behaviour;
    if (latency === 0) return answer;
    return (response) => {
      under += 1;
      most = Math.max(most, under);
      setTimeout(() => {
        under -= 1;
        send(response, answer);
      }, latency);
    };
  });

  function ordinary(query: URLSearchParams, url: string): Answer {
    switch (query.get('verb')) {
      case 'Identify':
        return answered(
          envelope(
            `<Identify><repositoryName>Dated</repositoryName><protocolVersion>2.0</protocolVersion><earliestDatestamp>${behaviour.earliest ?? '2020-01-01T00:00:00Z'}</earliestDatestamp><deletedRecord>no</deletedRecord><granularity>${granularity === 'day' ? 'YYYY-MM-DD' : 'YYYY-MM-DDThh:mm:ssZ'}</granularity></Identify>`,
          ),
        );
      case 'ListMetadataFormats': {
        const other = (behaviour.formats ?? [])
          .map(
            (name) =>
              `<metadataFormat><metadataPrefix>${name}</metadataPrefix><metadataNamespace>urn:${name}</metadataNamespace></metadataFormat>`,
          )
          .join('');
        return envelope(
          `<ListMetadataFormats><metadataFormat><metadataPrefix>oai_dc</metadataPrefix><metadataNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</metadataNamespace></metadataFormat>${other}</ListMetadataFormats>`,
        );
      }
      case 'ListSets': {
        const { sets } = behaviour;
        if (sets === undefined) return failure('noSetHierarchy');
        const named = sets.map((spec) => `<set><setSpec>${spec}</setSpec><setName>${spec}</setName></set>`);
        return envelope(`<ListSets>${named.join('')}</ListSets>`);
      }
      case 'GetRecord': {
        const id = query.get('identifier') ?? '';
        const found = records().find((record) => record.id === id);
        const special = behaviour.getRecord?.(id);
        if (special !== undefined) return special;
        return found === undefined
          ? failure('idDoesNotExist')
          : envelope(`<GetRecord>${whole(found)}</GetRecord>`);
      }
      case 'ListRecords':
      case 'ListIdentifiers':
        return list(query, url);
      default:
        return failure('badVerb');
    }
  }

  function list(query: URLSearchParams, url: string): Answer {
    nth += 1;
    const verb = query.get('verb') as ListRequest['verb'];
    const token = query.get('resumptionToken') ?? undefined;
    const remembered = token === undefined ? undefined : token.split('!');
    const [offset = '0', ...terms] = remembered ?? [];
    const term = (name: string, place: number) =>
      (remembered === undefined ? query.get(name) : terms[place]) || undefined;
    const [from, until, set] = [term('from', 0), term('until', 1), term('set', 2)];
    const matching = records().filter(
      ({ at, set: own }) =>
        (from === undefined || at.slice(0, from.length) >= from) &&
        (until === undefined || at.slice(0, until.length) <= until) &&
        (set === undefined || own === set || own?.startsWith(`${set}:`) === true),
    );
    const start = Number(offset);
    const page = matching.slice(start, start + pageSize);
    const end = start + pageSize;
    const next = end < matching.length ? `${end}!${from ?? ''}!${until ?? ''}!${set ?? ''}` : '';
    const size = behaviour.sizeless ? '' : ` completeListSize="${matching.length}" cursor="${start}"`;
    const answer: ListRequest['answer'] = (other = {}) => {
      const value = other.token ?? next;
      const attributes = other.attributes ?? size;
      const shown = (other.page ?? page).map(verb === 'ListRecords' ? whole : header).join('');
      const element =
        value === '' && start === 0 ? '' : `<resumptionToken${attributes}>${value}</resumptionToken>`;
      return answered(envelope(`<${verb}>${shown}${element}</${verb}>`));
    };
    const request = { verb, query, url, token, from, until, set, offset: start, matching, page, nth, answer };
    const special = behaviour.list?.(request);
    if (special !== undefined) return special;
    return matching.length === 0 ? failure('noRecordsMatch') : answer();
  }

  return { ...provider, most: () => most };
}

function send(response: ServerResponse, answer: Answer): void {
  if (typeof answer === 'function') {
    answer(response);
    return;
  }
  const { status = 200, headers = {}, body } = typeof answer === 'string' ? { body: answer } : answer;
  response.writeHead(status, { 'content-type': 'text/xml', ...headers });
  response.end(body);
}

const signal = new AbortController().signal;

/** A run against it, from page to page, to its end or its error. */
export async function run(
  url: string,
  options: {
    readonly request?: PageRequest;
    readonly settings?: Partial<AdapterSettings>;
    readonly lessons?: Lessons;
    /** Stop after so many pages. */
    readonly pages?: number;
  } = {},
) {
  const context = createContext();
  const lessons = options.lessons ?? context.lessons;
  const adapter = createAdapter(
    'oai-pmh',
    { url, overlapSeconds: 120, requestsPerHost: 1, files: undefined, ...options.settings },
    { ...context, lessons },
  );
  const pages: Page[] = [];
  let error: unknown;
  try {
    for await (const page of adapter.pages(options.request ?? { mode: 'full' }, signal)) {
      pages.push(page);
      if (pages.length === options.pages) break;
    }
  } catch (thrown) {
    error = thrown;
  }
  const items = pages.flatMap((page) => page.items);
  return {
    pages,
    error,
    items,
    identifiers: new Set(items.map(({ identifier }) => identifier)),
    problems: pages.flatMap(({ problems }) => problems),
    lessons,
    sleeps: context.sleeps,
    checkpoint: JSON.parse(
      JSON.stringify(pages.findLast((page) => page.checkpoint !== undefined)?.checkpoint ?? null),
    ) as Checkpoint | null,
  };
}

export async function identifierRun(url: string, settings: Partial<AdapterSettings> = {}) {
  const context = createContext();
  const adapter = createAdapter(
    'oai-pmh',
    { url, overlapSeconds: 120, requestsPerHost: 1, files: undefined, ...settings },
    context,
  );
  const pages: IdentifierPage[] = [];
  let error: unknown;
  try {
    for await (const page of adapter.identifiers({}, signal)) pages.push(page);
  } catch (thrown) {
    error = thrown;
  }
  return {
    pages,
    error,
    entries: pages.flatMap(({ entries }) => entries),
    problems: pages.flatMap(({ problems }) => problems),
  };
}

export const idsOf = (records: readonly DatedRecord[]) => new Set(records.map(({ id }) => id));
