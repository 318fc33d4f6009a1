import { Agent, request } from 'node:http';
import { gunzipSync } from 'node:zlib';
import { megabytes, processorSeconds } from '../once/load.ts';

export interface Walked {
  readonly records: number;
  readonly pages: number;
  readonly seconds: number;
  readonly perSecond: number;
  /** Of the server, for a thousand records. */
  readonly processorMsPerThousand: number;
  /** Of the server and of the first request alone: it counts. */
  readonly firstPageMs: number;
  /** Processor time of the server for a page, in milliseconds: of the first, the middle and the last tenth of the pages. */
  readonly pageMs: readonly number[];
  /** Resident set of the server after the first tenth of the pages, and at the end; and at most. */
  readonly megabytes: readonly number[];
}

interface WalkSettings {
  readonly url: string;
  readonly verb?: 'ListRecords' | 'ListIdentifiers';
  /** Of the server. */
  readonly pid: number;
  /** As far as that; default: to the end. */
  readonly most?: number;
  /** Pages that the whole walk has, to know where its tenths are. */
  readonly pages: number;
  readonly gzip?: boolean;
}

const agent = new Agent({ keepAlive: true, maxSockets: 1 });

/** All pages of a list, one after the other, by a client that does nothing but count and take the token. */
export async function walk(settings: WalkSettings): Promise<Walked> {
  const { url, verb = 'ListRecords', pid, most = Number.POSITIVE_INFINITY } = settings;
  const seconds = () => processorSeconds(pid);
  const before = seconds();
  const startedAt = performance.now();
  const marks: number[] = [before];
  const memory: number[] = [];
  const tenth = Math.max(1, Math.floor(Math.min(settings.pages, most) / 10));
  const [middle, lastTenth] = [Math.floor(settings.pages / 2), settings.pages - tenth];
  let [records, pages, firstPageMs] = [0, 0, 0];
  for (let token: string | undefined = ''; token !== undefined && pages < most; ) {
    const rest: string = token === '' ? 'metadataPrefix=oai_dc' : `resumptionToken=${token}`;
    const text: string = await ask(`${url}?verb=${verb}&${rest}`, settings.gzip === true);
    records += count(text, '<header');
    token = /<resumptionToken[^>]*>([^<]+)</.exec(text.slice(-1000))?.[1];
    pages += 1;
    if (pages === 1) firstPageMs = performance.now() - startedAt;
    if ([tenth, middle, middle + tenth, lastTenth].includes(pages)) marks.push(seconds());
    if (pages === tenth) memory.push(megabytes(pid)[0]?.now ?? 0);
  }
  const elapsed = (performance.now() - startedAt) / 1000;
  marks.push(seconds());
  const [own] = megabytes(pid);
  const ofTenth = (index: number) =>
    Number(((((marks[index + 1] ?? 0) - (marks[index] ?? 0)) * 1000) / tenth).toFixed(1));
  return {
    records,
    pages,
    seconds: Number(elapsed.toFixed(2)),
    perSecond: Math.round(records / elapsed),
    processorMsPerThousand: Math.round(((seconds() - before) * 1e6) / records),
    firstPageMs: Math.round(firstPageMs),
    pageMs: marks.length < 6 ? [] : [0, 2, 4].map(ofTenth),
    megabytes: [...memory, own?.now ?? 0, own?.peak ?? 0],
  };
}

function count(text: string, what: string): number {
  let found = 0;
  for (let at = text.indexOf(what); at >= 0; at = text.indexOf(what, at + what.length)) found += 1;
  return found;
}

function ask(url: string, gzip: boolean): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = gzip ? { 'accept-encoding': 'gzip' } : {};
    const asked = request(url, { agent, headers }, (answer) => {
      const chunks: Buffer[] = [];
      answer.on('data', (chunk: Buffer) => chunks.push(chunk));
      answer.on('error', reject);
      answer.on('end', () => {
        const body = Buffer.concat(chunks);
        if (answer.statusCode !== 200) reject(new Error(`${answer.statusCode}: ${body}`));
        else resolve((gzip ? gunzipSync(body) : body).toString('latin1'));
      });
    });
    asked.on('error', reject);
    asked.end();
  });
}
