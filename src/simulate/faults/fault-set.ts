import type { Draft } from '../documents/draft.ts';
import type { PackageDraft } from '../documents/packages.ts';
import { writeXml } from '../documents/xml.ts';
import { writeZip } from '../documents/zip.ts';
import type { Answer, Request } from '../server/answer.ts';
import { type ActiveFault, parseFault } from './catalogue.ts';
import type { Scene } from './fault.ts';

/** The faults that are on. They may be others at any time. */
export class FaultSet {
  readonly #seed: number;
  readonly #scene: () => Omit<Scene, 'strikes'>;
  #active: readonly ActiveFault[];

  /** @throws BridgeError `usage` */
  constructor(names: readonly string[], seed: number, scene: () => Omit<Scene, 'strikes'>) {
    this.#seed = seed;
    this.#scene = scene;
    this.#active = names.map((name) => parseFault(name, seed));
  }

  get names(): readonly string[] {
    return this.#active.map(({ fault }) => fault.name);
  }

  /** @throws BridgeError `usage`; then those of before stay */
  set(names: readonly string[]): void {
    this.#active = names.map((name) => parseFault(name, this.#seed));
  }

  /** Documents that there are because of faults. */
  document(path: string): Draft | undefined {
    for (const active of this.#active) {
      const draft = active.fault.document?.(path, this.#sceneOf(active));
      if (draft !== undefined) return draft;
    }
    return undefined;
  }

  written(right: Draft): Buffer {
    let draft = right;
    for (const active of this.#active) draft = active.fault.draft?.(draft, this.#sceneOf(active)) ?? draft;
    let text: string | Buffer = writeXml(draft);
    for (const active of this.#active) {
      // What is no text any more, no other can rewrite.
      if (typeof text === 'string') text = active.fault.text?.(text, draft, this.#sceneOf(active)) ?? text;
    }
    return Buffer.from(text);
  }

  /** @param rewrite of whoever embeds the Source */
  packed(right: PackageDraft, rewrite: (path: string, bytes: Buffer) => Buffer): Buffer {
    let draft = right;
    for (const active of this.#active) draft = active.fault.package?.(draft, this.#sceneOf(active)) ?? draft;
    const { manifest, members } = draft;
    const text = rewrite(manifest.path, this.written(manifest));
    let bytes = writeZip([
      ...(manifest.path === '' ? [] : [{ name: manifest.path, bytes: text }]),
      ...members,
    ]);
    for (const active of this.#active) bytes = active.fault.packed?.(bytes, this.#sceneOf(active)) ?? bytes;
    return bytes;
  }

  content(given: Answer, request: Request): Answer {
    return this.#active.reduce(
      (answer, active) => active.fault.content?.(answer, request, this.#sceneOf(active)) ?? answer,
      given,
    );
  }

  answer(given: Answer, request: Request): Answer {
    return this.#active.reduce(
      (answer, active) => active.fault.answer?.(answer, request, this.#sceneOf(active)) ?? answer,
      given,
    );
  }

  #sceneOf({ strikes }: ActiveFault): Scene {
    return { ...this.#scene(), strikes };
  }
}
