import { createHash } from 'node:crypto';
import type { EndpointPlan } from './plans.ts';

const base = '2026-01-01T00:00:00Z';
const pageSize = 200;
/** Each so many-th record has a file. */
const fileEvery = 50;
/** So much later than its datestamp says a change is seen at those who lag. */
const lagMs = 5000;

interface Edit {
  readonly milliseconds: number;
  readonly at: string;
  readonly salt: string;
  readonly isDeleted: boolean;
}

/** One repository: records that are made when they are asked for, and what was done to them. */
export class Endpoint {
  readonly plan: EndpointPlan;
  readonly edits = new Map<number, Edit>();
  readonly #port: () => number;
  #size: number;
  asked = 0;

  /** @param port at which it answers, known once somebody asks */
  constructor(plan: EndpointPlan, port: () => number = () => 0) {
    this.plan = plan;
    this.#port = port;
    this.#size = plan.size;
  }

  /** Creates, deletes or changes a record. @param chance between 0 and 1 */
  edit(chance: number, salt: string): void {
    const isNew = chance < 0.1;
    const id = isNew ? this.#size : Math.floor(((chance * 7) % 1) * this.#size);
    if (isNew) this.#size += 1;
    const milliseconds = Date.now();
    this.edits.set(id, { milliseconds, at: this.#stamp(milliseconds), salt, isDeleted: chance > 0.9 });
  }

  /** The path at which a bridge has each edited record, and when it was edited last, in milliseconds. */
  *edited(): Generator<readonly [path: string, milliseconds: number]> {
    for (const [id, { milliseconds }] of this.edits) yield [this.#pathOf(id), milliseconds];
  }

  /** @returns undefined if there is no such file */
  file(path: string): Buffer | undefined {
    const id = Number(/^\/files\/(\d+)\/article\.pdf$/.exec(path)?.[1] ?? -1);
    return this.#hasFile(id) ? this.#fileOf(id) : undefined;
  }

  /** The path at which a bridge has each record and each file, and the hash of its payload. */
  *truth(): Generator<readonly [path: string, hash: string]> {
    for (let id = 0; id < this.#size; id += 1) {
      if (this.edits.get(id)?.isDeleted) continue;
      yield [this.#pathOf(id), hashOf(this.#payload(id))];
      if (!this.#hasFile(id)) continue;
      const item = `${this.plan.name}/items/${this.#identifier(id)}`;
      yield [`${item}/files/1-article.pdf`, hashOf(this.#fileOf(id))];
    }
  }

  answer(query: URLSearchParams): string {
    const verb = query.get('verb');
    if (verb === 'Identify') return this.#identify();
    if (verb === 'ListMetadataFormats')
      return envelope(
        '<ListMetadataFormats><metadataFormat><metadataPrefix>oai_dc</metadataPrefix><schema>http://www.openarchives.org/OAI/2.0/oai_dc.xsd</schema><metadataNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</metadataNamespace></metadataFormat></ListMetadataFormats>',
      );
    if (verb === 'ListSets') return envelope('<error code="noSetHierarchy">none</error>');
    if (verb === 'ListRecords' || verb === 'ListIdentifiers') return this.#list(query, verb);
    return envelope('<error code="badVerb">not here</error>');
  }

  #identify(): string {
    const granularity = this.plan.quirk === 'coarse' ? 'YYYY-MM-DD' : 'YYYY-MM-DDThh:mm:ssZ';
    return envelope(
      `<Identify><repositoryName>${this.plan.name}</repositoryName><baseURL>http://${this.plan.host}/oai</baseURL><protocolVersion>2.0</protocolVersion><adminEmail>a@example.org</adminEmail><earliestDatestamp>${this.#cut(base)}</earliestDatestamp><deletedRecord>persistent</deletedRecord><granularity>${granularity}</granularity></Identify>`,
    );
  }

  #list(query: URLSearchParams, verb: string): string {
    const token = query.get('resumptionToken');
    const [since = '', place = '0'] = token?.split('|') ?? [query.get('from') ?? ''];
    const start = Number(place);
    const ids = since > this.#cut(base) ? this.#since(since) : undefined;
    const total = ids?.length ?? this.#size;
    if (this.plan.quirk === 'forgetful' && start > 0 && this.asked % 9 === 0)
      return envelope('<error code="badResumptionToken">expired</error>');
    if (total === 0) return envelope('<error code="noRecordsMatch">nothing</error>');
    const end = Math.min(total, start + pageSize);
    const again = this.plan.quirk === 'repeating' ? Math.min(3, start) : 0;
    const records = Array.from({ length: end - start + again }, (_, index) => {
      const position = start - again + index;
      return this.#record(ids?.[position] ?? position, verb);
    });
    const next = end < total ? `${since}|${end}` : '';
    return envelope(
      `<${verb}>${records.join('')}<resumptionToken completeListSize="${total}" cursor="${start}">${next}</resumptionToken></${verb}>`,
    );
  }

  #since(from: string): readonly number[] {
    return [...this.edits].flatMap(([id, { at, milliseconds }]) =>
      at >= from && this.#shows(milliseconds) ? [id] : [],
    );
  }

  #shows(milliseconds: number): boolean {
    return this.plan.quirk !== 'lagging' || Date.now() - milliseconds > lagMs;
  }

  #record(id: number, verb: string): string {
    const edit = this.edits.get(id);
    const status = edit?.isDeleted ? ' status="deleted"' : '';
    const header = `<header${status}><identifier>${this.#identifier(id)}</identifier><datestamp>${edit?.at ?? this.#cut(base)}</datestamp></header>`;
    if (verb === 'ListIdentifiers') return header;
    const gap = this.plan.quirk === 'untidy' ? '\n   <!-- -->' : '';
    const metadata = edit?.isDeleted ? '' : `<metadata>${gap}${this.#payload(id)}${gap}</metadata>`;
    return `<record>${header}${metadata}</record>`;
  }

  #stamp(milliseconds: number): string {
    return this.#cut(secondsOf(milliseconds));
  }

  /** To its granularity. */
  #cut(at: string): string {
    return this.plan.quirk === 'coarse' ? at.slice(0, 10) : at;
  }

  #pathOf(id: number): string {
    return `${this.plan.name}/items/${this.#identifier(id)}/oai_dc.xml`;
  }

  #hasFile(id: number): boolean {
    return id >= 0 && id < this.#size && id % fileEvery === 0 && !this.edits.get(id)?.isDeleted;
  }

  #fileOf(id: number): Buffer {
    return Buffer.alloc(2000 + (id % 6000), `%PDF-1.7 ${this.plan.name} ${id} `);
  }

  #identifier(id: number): string {
    return `oai:${this.plan.name}.example.org:${id}`;
  }

  #payload(id: number): string {
    const salt = this.edits.get(id)?.salt ?? '';
    const words = Array.from({ length: 60 }, (_, index) => `word${(id * 31 + index * 17) % 997}`).join(' ');
    return `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${this.plan.name} ${id} ${salt}</dc:title><dc:description>${words}</dc:description>${this.#link(id)}</oai_dc:dc>`;
  }

  #link(id: number): string {
    if (id % fileEvery !== 0) return '';
    const origin = `http://${this.plan.host}:${this.#port()}`;
    return `<dc:identifier>${origin}/files/${id}/article.pdf</dc:identifier>`;
  }
}

function hashOf(payload: string | Buffer): string {
  return `sha-256:${createHash('sha256').update(payload).digest('hex')}`;
}

function envelope(content: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>${secondsOf(Date.now())}</responseDate><request>http://example.org/oai</request>${content}</OAI-PMH>`;
}

function secondsOf(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
