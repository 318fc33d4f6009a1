import { BridgeError } from '../../../src/core/errors.ts';
import { type ReadTree, readTree } from '../../../src/resourcesync/reading/list-tree.ts';
import type { Remarks } from '../../../src/resourcesync/reading/remarks.ts';
import type { DocumentOpening, Member } from '../../../src/resourcesync/reading/source-document.ts';
import type { Statement } from '../../../src/resourcesync/reading/statement.ts';
import type { SourcePort } from '../../../src/resourcesync/source-port.ts';
import { spoolingPort } from './http-port.ts';

/** Entries that wait at a time for whoever takes them. */
const waitingAtMost = 500;

/** The entries of a list, all its parts, at the pace of whoever takes them. */
export class StatementFlow {
  /** Once all entries are taken. */
  read: ReadTree | undefined;
  /** Of the list, or of its first part; known with the first entry. */
  opening: DocumentOpening | undefined;
  servedAt: string | undefined;
  readonly #port: SourcePort;
  readonly #read: Set<string>;
  readonly #waiting: Statement[] = [];
  #ended = false;
  #closed = false;
  #wake: (() => void) | undefined;
  #resume: (() => void) | undefined;

  /** @param read documents that were read before, which are left out; those of this list come to them */
  constructor(port: SourcePort, read = new Set<string>()) {
    this.#port = spoolingPort(port);
    this.#read = read;
  }

  /** @throws BridgeError where the document at the address itself cannot be read to its end */
  async *statements(uri: string, remarks: Remarks): AsyncGenerator<Statement> {
    let failure: { readonly error: unknown } | undefined;
    const reading = readTree(this.#paced(), uri, this.#visitor(), remarks)
      .then(
        (read) => {
          this.read = read;
        },
        (error: unknown) => {
          failure = { error };
        },
      )
      .finally(() => {
        this.#ended = true;
        this.#wake?.();
      });
    try {
      for (;;) {
        while (this.#waiting.length === 0 && !this.#ended) {
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
        }
        const taken = this.#waiting.splice(0);
        this.#resume?.();
        if (taken.length === 0) break;
        yield* taken;
      }
    } finally {
      this.#closed = true;
      this.#resume?.();
      await reading;
    }
    if (failure) throw failure.error;
  }

  #visitor() {
    return {
      capability: 'resourcelist' as const,
      opened: (document: DocumentOpening, servedAt: string | undefined) => {
        this.#read.add(document.uri);
        this.opening ??= document;
        this.servedAt ??= servedAt;
      },
      statement: (statement: Statement) => {
        this.#waiting.push(statement);
        if (this.#waiting.length >= waitingAtMost) this.#wake?.();
      },
      wants: ({ uri }: Member) => !this.#read.has(uri),
    };
  }

  #paced(): SourcePort {
    return {
      get: async (uri, purpose, headers) => {
        this.#refuseClosed();
        const response = await this.#port.get(uri, purpose, headers);
        return { ...response, body: this.#pacedBody(response.body) };
      },
    };
  }

  async *#pacedBody(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const chunk of body) {
      yield chunk;
      while (this.#waiting.length >= waitingAtMost && !this.#closed) {
        await new Promise<void>((resolve) => {
          this.#resume = resolve;
        });
      }
      this.#refuseClosed();
    }
  }

  #refuseClosed(): void {
    if (this.#closed) throw new BridgeError('interrupted', 'nobody reads the list on');
  }
}
