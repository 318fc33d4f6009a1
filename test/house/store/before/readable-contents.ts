import type { Knex } from 'knex';
import { sha256 } from '../../../../src/core/payloads/sha-256.ts';
import { packAgainst, packBlob } from '../../../../src/store/payloads/blobs.ts';

/** Of so many records one has contents that can be read; those of the others are as long, and noise. */
const readableEvery = 1_000;

/** How a schema writes what all of them know. */
export interface SchemaOfBefore {
  readonly resources: number;
  has(number: string): boolean;
  /** An expression of SQL for the hash that another gives as text. */
  hash(text: string): string;
  /** The place in the journal of the second version of record `n`. */
  readonly second: string;
}

/** Contents that can be read, for few of the records. */
export class ReadableContents {
  readonly #trx: Knex.Transaction;
  readonly #schema: SchemaOfBefore;

  constructor(trx: Knex.Transaction, schema: SchemaOfBefore) {
    [this.#trx, this.#schema] = [trx, schema];
  }

  /** Of a few records there is what their hashes say, the second version as a difference where there were such. */
  async fill(): Promise<void> {
    const every = Math.min(readableEvery, Math.max(5, Math.floor(this.#schema.resources / 100)) * 5);
    for (let n = every; n <= this.#schema.resources; n += every) {
      const [first, second] = [contentOf(n, 1), contentOf(n, 2)];
      const packed = packBlob(sha256(first), first);
      const keyframe = { hash: packed.hash, content: first, packedLength: packed.data.byteLength };
      const next = this.#schema.has('0005')
        ? packAgainst(sha256(second), second, keyframe)
        : packBlob(sha256(second), second);
      for (const [column, blob] of [
        ['h1', packed],
        ['h2', next],
      ] as const) {
        const row: { noise: string } = await this.#trx('numbers').where({ n }).first({ noise: column });
        const { base, ...others } = blob;
        const facts = { hash: blob.hash, length: blob.length };
        await this.#rehash(
          'blob',
          { hash: row.noise },
          this.#schema.has('0005') ? { ...others, base } : others,
        );
        const seq = this.#trx.raw(column === 'h1' ? String(n) : this.#schema.second.replace('n /', `${n} /`));
        // Found by keys, which say enough: no table is read as a whole.
        const own = { hash: row.noise };
        await this.#rehash('resource', { id: n, ...own }, facts);
        await this.#rehash('version', { resource_id: n, ...own }, facts);
        await this.#rehash('change', { source_id: n % 4 === 0 ? 2 : 1, seq, ...own }, facts);
        if (this.#schema.has('0004'))
          await this.#rehash('prior_representation', { item_id: n, hash: row.noise }, facts);
        if (this.#schema.has('0003') && n % 10 === 0)
          await this.#rehash(
            'remote_file',
            { id: n / 10, content_hash: row.noise },
            { content_hash: blob.hash },
          );
      }
    }
  }

  /** As text where this schema has text: past what binds hashes as octets. */
  async #rehash(
    table: string,
    where: Record<string, unknown>,
    values: Record<string, unknown>,
  ): Promise<void> {
    const written = (value: unknown) =>
      typeof value === 'string' && value.startsWith('sha-256:')
        ? this.#trx.raw(this.#schema.hash(`'${value}'`))
        : value;
    const all = (row: Record<string, unknown>) =>
      Object.fromEntries(Object.entries(row).map(([column, value]) => [column, written(value)]));
    await this.#trx(table)
      .where(all(where) as never)
      .update(all(values));
  }
}

function contentOf(n: number, version: number): Buffer {
  const words = Array.from(
    { length: 40 },
    (_, index) => `<dc:subject>word ${(n * 7 + index) % 997}</dc:subject>`,
  );
  return Buffer.from(`<dc xmlns:dc="urn:dc">${words.join('')}<dc:title>${n} ${version}</dc:title></dc>`);
}
