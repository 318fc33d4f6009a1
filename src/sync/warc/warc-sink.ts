import { createReadStream } from 'node:fs';
import type { ReceivedContent } from '../sinks/received-content.ts';
import type { FoundContent, Placed, PlacedResource, PutResource, Sink } from '../sinks/sink.ts';
import type { CopyDatabase } from '../state/copy-database.ts';
import { hasFile, isOpen, readRecord, WarcFile, type WarcState } from './warc-file.ts';
import { httpHead, newRecordId, recordEnd, recordHead, Sha1, type WarcRecord } from './warc-record.ts';

export interface WarcDeps {
  readonly directory: string;
  readonly database: CopyDatabase;
  readonly now: () => string;
  /** Of who writes, for the first record of each file. */
  readonly software: string;
  readonly limits?: { readonly octets: number; readonly records: number };
}

/** What is kept of a record, to refer to it and to read it. */
interface Note {
  readonly id: string;
  readonly date: string;
  readonly digest: string;
  readonly file: string;
  readonly offset: number;
  readonly length: number;
}

/** As usual for files; and few enough lines for an index to be sorted in memory. */
const usual = { octets: 1_000_000_000, records: 100_000 };
const kept = 'warc';
const fieldsType = 'application/warc-fields';

/**
 * A copy as an archive of the web (WARC 1.1): a record for each content that came, one that refers to it where the same
 * came once more, one that says so where a resource was deleted. Nothing is ever changed in what was written.
 */
export class WarcSink implements Sink {
  readonly takesContents = true;
  readonly recordsAgain = true;
  readonly #deps: WarcDeps;
  #file: WarcFile | undefined;
  #number = 0;
  /** Records are written one after the other. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(deps: WarcDeps) {
    this.#deps = deps;
    const before = deps.database.setting(kept);
    if (before === undefined) return;
    const state = JSON.parse(before) as WarcState;
    // It may have got its name just before a kill.
    if (isOpen(deps.directory, state.name)) this.#file = new WarcFile(deps.directory, state.name, state);
  }

  async find(): Promise<undefined> {}

  async read({ note }: PlacedResource, maximumOctets: number): Promise<Uint8Array | undefined> {
    const place = noteOf(note);
    const record = place && (await readRecord(this.#deps.directory, place.file, place, maximumOctets * 2));
    if (!record) return undefined;
    const head = record.indexOf('\r\n\r\n') + 4;
    const isHttp = /^content-type: application\/http/im.test(record.subarray(0, head).toString('latin1'));
    const start = isHttp ? record.indexOf('\r\n\r\n', head) + 4 : head;
    return record.subarray(start, record.length - recordEnd.length);
  }

  /** What was written stays as it was. */
  async measure({
    note,
    hashes,
    length,
  }: PlacedResource): Promise<Omit<FoundContent, 'path' | 'modifiedMs'> | undefined> {
    const place = noteOf(note);
    const [sha256] = hashes;
    if (!place || sha256 === undefined || length === undefined) return undefined;
    return hasFile(this.#deps.directory, place.file) ? { sha256, length } : undefined;
  }

  put(resource: PutResource, content: ReceivedContent, held: PlacedResource | undefined): Promise<Placed> {
    const before = noteOf(held?.note);
    const isSame = before !== undefined && held?.hashes[0] === content.sha256;
    return this.#inTurn(() =>
      isSame ? this.#revisit(resource, content.length, before, held) : this.#record(resource, content),
    );
  }

  async remove({ loc, note }: PlacedResource, at: string): Promise<void> {
    const before = noteOf(note);
    await this.#inTurn(async () => {
      const text = `deleted: ${at}\r\n`;
      await this.#write(
        {
          ...{ type: 'metadata', id: newRecordId(), date: this.#deps.now(), targetUri: loc },
          contentType: fieldsType,
          refersTo: before && { id: before.id, date: before.date, uri: loc },
        },
        Buffer.from(text),
      );
    });
  }

  async close(): Promise<void> {
    await this.#last;
    this.#finish();
  }

  async #record(resource: PutResource, content: ReceivedContent): Promise<Placed> {
    const { loc, fetchedAt: date, answer, type } = resource;
    const http = answer && httpHead(answer.status, answer.headers, content.length);
    const payload = new Sha1();
    const block = new Sha1();
    if (http) block.update(http);
    for await (const chunk of chunksOf(content)) {
      payload.update(chunk);
      block.update(chunk);
    }
    const digest = payload.digest();
    const record: WarcRecord = {
      ...{ type: http ? 'response' : 'resource', id: newRecordId(), date, targetUri: loc },
      contentType: http ? 'application/http; msgtype=response' : (type ?? 'application/octet-stream'),
      payloadDigest: digest,
    };
    const length = (http?.length ?? 0) + content.length;
    const head = recordHead(record, { length, digest: block.digest() });
    const file = await this.#openFile();
    const placed = await file.append(http ? Buffer.concat([head, http]) : head, content, recordEnd);
    file.index({
      ...{ uri: loc, date, digest, ...placed },
      mime: type ?? 'application/octet-stream',
      status: String(answer?.status ?? 200),
    });
    this.#keep();
    const note: Note = { id: record.id, date, digest, file: file.name, ...placed };
    return { path: `archive/${file.name}#${placed.offset}`, note: JSON.stringify(note) };
  }

  /** The same bytes once more. */
  async #revisit(
    { loc, fetchedAt: date, answer }: PutResource,
    contentLength: number,
    before: Note,
    held: PlacedResource,
  ): Promise<Placed> {
    const http = answer && httpHead(answer.status, answer.headers, contentLength);
    const file = await this.#openFile();
    const placed = await this.#write(
      {
        ...{ type: 'revisit', id: newRecordId(), date, targetUri: loc, payloadDigest: before.digest },
        contentType: http && 'application/http; msgtype=response',
        refersTo: { id: before.id, date: before.date, uri: loc },
      },
      http ?? Buffer.alloc(0),
    );
    const status = answer === undefined ? undefined : String(answer.status);
    file.index({ uri: loc, date, digest: before.digest, ...placed, mime: 'warc/revisit', status });
    this.#keep();
    return { path: held.path, note: held.note };
  }

  async #write(record: WarcRecord, block: Buffer): Promise<{ offset: number; length: number }> {
    const file = await this.#openFile();
    const head = recordHead(record, { length: block.length, digest: new Sha1().update(block).digest() });
    const placed = await file.append(head, { bytes: block, file: undefined }, recordEnd);
    this.#keep();
    return placed;
  }

  /** The one that is written to; a new one where it is full. */
  async #openFile(): Promise<WarcFile> {
    const { limits = usual, now, directory, software } = this.#deps;
    if (this.#file && (this.#file.octets >= limits.octets || this.#file.records >= limits.records))
      this.#finish();
    if (this.#file) return this.#file;
    const date = now();
    let name: string;
    do {
      this.#number += 1;
      name = `rsbridge-${date.replace(/\D/g, '').slice(0, 14)}-${String(this.#number).padStart(5, '0')}.warc.gz`;
    } while (hasFile(directory, name));
    const file = new WarcFile(directory, name);
    const info = Buffer.from(
      `software: ${software}\r\nformat: WARC File Format 1.1\r\nconformsTo: http://iipc.github.io/warc-specifications/specifications/warc-format/warc-1.1/\r\n`,
    );
    const record = {
      type: 'warcinfo',
      id: newRecordId(),
      date,
      contentType: fieldsType,
      fileName: name,
    } as const;
    const head = recordHead(record, { length: info.length, digest: new Sha1().update(info).digest() });
    await file.append(head, { bytes: info, file: undefined }, recordEnd);
    this.#file = file;
    this.#keep();
    return file;
  }

  #finish(): void {
    this.#file?.finish();
    this.#file = undefined;
    if (this.#deps.database.setting(kept) === undefined) return;
    // A file that has its name is not written to any more, whatever a kill takes back.
    this.#deps.database.keep(kept, undefined);
    this.#deps.database.flush();
  }

  #keep(): void {
    if (this.#file) this.#deps.database.keep(kept, JSON.stringify(this.#file.state));
  }

  #inTurn<Result>(work: () => Promise<Result>): Promise<Result> {
    const done = this.#last.then(work);
    this.#last = done.catch(() => undefined);
    return done;
  }
}

function noteOf(text: string | undefined): Note | undefined {
  return text === undefined ? undefined : (JSON.parse(text) as Note);
}

async function* chunksOf({ bytes, file }: ReceivedContent): AsyncGenerator<Uint8Array> {
  if (file === undefined) yield bytes ?? new Uint8Array();
  else yield* createReadStream(file) as AsyncIterable<Uint8Array>;
}
