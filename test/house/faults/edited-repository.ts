import { createHash } from 'node:crypto';

const base = '2026-01-01T00:00:00Z';
const pageSize = 150;

interface Edit {
  readonly at: string;
  readonly salt: string;
  readonly isDeleted: boolean;
}

/** One repository: records that are made when they are asked for, and what was done to them. */
export class EditedRepository {
  readonly name: string;
  #size: number;
  readonly #edits = new Map<number, Edit>();

  constructor(name: string, size: number) {
    this.name = name;
    this.#size = size;
  }

  /** Creates, deletes or changes a record. @param chance between 0 and 1 */
  edit(chance: number, salt: string): void {
    const isNew = chance < 0.1;
    const id = isNew ? this.#size : Math.floor(((chance * 7) % 1) * this.#size);
    if (isNew) this.#size += 1;
    this.#edits.set(id, { at: secondsOf(Date.now()), salt, isDeleted: chance > 0.9 });
  }

  /** The path at which a bridge has each record, and the hash of its payload. */
  *truth(): Generator<readonly [path: string, hash: string]> {
    for (let id = 0; id < this.#size; id += 1) {
      if (this.#edits.get(id)?.isDeleted) continue;
      const hash = createHash('sha256').update(this.#payload(id)).digest('hex');
      yield [`${this.name}/items/${this.#identifier(id)}/oai_dc.xml`, `sha-256:${hash}`];
    }
  }

  answer(query: URLSearchParams): string {
    const verb = query.get('verb');
    if (verb === 'Identify')
      return envelope(
        `<Identify><repositoryName>${this.name}</repositoryName><baseURL>http://127.0.0.1/oai</baseURL><protocolVersion>2.0</protocolVersion><adminEmail>a@example.org</adminEmail><earliestDatestamp>${base}</earliestDatestamp><deletedRecord>persistent</deletedRecord><granularity>YYYY-MM-DDThh:mm:ssZ</granularity></Identify>`,
      );
    if (verb === 'ListMetadataFormats')
      return envelope(
        '<ListMetadataFormats><metadataFormat><metadataPrefix>oai_dc</metadataPrefix><schema>http://www.openarchives.org/OAI/2.0/oai_dc.xsd</schema><metadataNamespace>http://www.openarchives.org/OAI/2.0/oai_dc/</metadataNamespace></metadataFormat></ListMetadataFormats>',
      );
    if (verb === 'ListSets') return envelope('<error code="noSetHierarchy">none</error>');
    if (verb === 'ListRecords' || verb === 'ListIdentifiers') return this.#list(query, verb);
    return envelope('<error code="badVerb">not here</error>');
  }

  #list(query: URLSearchParams, verb: string): string {
    const token = query.get('resumptionToken');
    const [since = '', place = '0'] = token?.split('|') ?? [query.get('from') ?? ''];
    const start = Number(place);
    const ids = since > base ? this.#since(since) : undefined;
    const total = ids?.length ?? this.#size;
    if (total === 0) return envelope('<error code="noRecordsMatch">nothing</error>');
    const end = Math.min(total, start + pageSize);
    const records = Array.from({ length: end - start }, (_, index) =>
      this.#record(ids?.[start + index] ?? start + index, verb),
    );
    const next = end < total ? `${since}|${end}` : '';
    return envelope(
      `<${verb}>${records.join('')}<resumptionToken completeListSize="${total}" cursor="${start}">${next}</resumptionToken></${verb}>`,
    );
  }

  #since(from: string): readonly number[] {
    return [...this.#edits].flatMap(([id, { at }]) => (at >= from ? [id] : []));
  }

  #record(id: number, verb: string): string {
    const edit = this.#edits.get(id);
    const status = edit?.isDeleted ? ' status="deleted"' : '';
    const header = `<header${status}><identifier>${this.#identifier(id)}</identifier><datestamp>${edit?.at ?? base}</datestamp></header>`;
    if (verb === 'ListIdentifiers') return header;
    const metadata = edit?.isDeleted ? '' : `<metadata>${this.#payload(id)}</metadata>`;
    return `<record>${header}${metadata}</record>`;
  }

  #identifier(id: number): string {
    return `oai:${this.name}.example.org:${id}`;
  }

  #payload(id: number): string {
    const salt = this.#edits.get(id)?.salt ?? '';
    return `<oai_dc:dc xmlns:oai_dc="http://www.openarchives.org/OAI/2.0/oai_dc/" xmlns:dc="http://purl.org/dc/elements/1.1/"><dc:title>${this.name} ${id} ${salt}</dc:title></oai_dc:dc>`;
  }
}

function envelope(content: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><OAI-PMH xmlns="http://www.openarchives.org/OAI/2.0/"><responseDate>${secondsOf(Date.now())}</responseDate><request>http://example.org/oai</request>${content}</OAI-PMH>`;
}

function secondsOf(milliseconds: number): string {
  return `${new Date(milliseconds).toISOString().slice(0, 19)}Z`;
}
