import type { SourceFile } from '../../../core/adapter.ts';
import { toIso } from '../../../core/datetime.ts';
import { chooseFiles, type FileRules, isTrusted } from '../../../core/files/published-files.ts';
import type { DueFile } from '../../../store/files/due-files.ts';
import { findStatements } from '../../../store/files/item-files.ts';
import { saveRemoteFiles } from '../../../store/files/remote-file-writing.ts';
import { findRemoteFiles } from '../../../store/files/remote-files.ts';
import type { MappedPage } from '../../../store/pages/store-page.ts';
import { isSameDescription } from '../../../store/plans/statements.ts';
import type { Lease } from '../../../store/runs/leases.ts';
import type { FileCheck, HarvestDeps } from '../../harvest-source.ts';

/** A page may wait so long for the servers of its files; a resumption token lives two minutes at some places. */
const patienceMs = 20_000;

/**
 * The files that come up in one run: asked for before their page is stored, so that each becomes a resource with
 * all its facts at once, or none at all. What the budget or the time does not allow is published as stated, and
 * asked for later; but files of which only their server knows who may read them are asked for outside the budget, and
 * published when it has spoken.
 */
export class NewFiles {
  readonly #deps: HarvestDeps;
  readonly #check: FileCheck | undefined;
  #budget: number;

  constructor(deps: HarvestDeps, check: FileCheck | undefined, budget: number) {
    this.#deps = deps;
    this.#check = check;
    this.#budget = budget;
  }

  /** Whether anything of the page may be asked for at all. */
  mayAsk({ files: rules, checkpoint, items }: MappedPage): boolean {
    // A mirror downloads them: that tells more.
    if (!this.#check || !rules || rules.mode === 'none' || rules.mode === 'mirror') return false;
    // In the middle of a response its host has no place free for anything else.
    return checkpoint !== undefined && items.some(({ files }) => files.length > 0);
  }

  /** @returns the page, with what was asked for because of it */
  async ask(lease: Lease, page: MappedPage, signal: AbortSignal): Promise<MappedPage> {
    const { database, clock } = this.#deps;
    const { files: rules } = page;
    if (!this.#check || !rules || !this.mayAsk(page)) return page;
    const budget = rules.verify ? Math.max(0, this.#budget) : 0;
    const candidates = candidatesOf(page, rules, toIso(clock.now()));
    for (const [url, { file }] of candidates)
      if (budget === 0 && file.access !== 'unknown') candidates.delete(url);
    if (candidates.size === 0) return page;
    const urls = [...candidates.keys()];
    const known = await findRemoteFiles(database.writer, lease.sourceId, urls);
    const stated = await findStatements(database.writer, lease.sourceId, urls);
    const worthAsking = [...candidates.values()].flatMap(({ file, due }) => {
      const before = known.get(file.url);
      const isCertain = file.access !== 'unknown';
      if (before?.checkedAt === undefined) return { due, isCertain };
      // A record that says something else of the same address: it may have other bytes by now.
      const statements = stated.get(file.url) ?? [];
      const isNews = statements.length > 0 && !statements.some((other) => isSameDescription(other, file));
      return isNews ? { due: { ...before, stated: due.stated }, isCertain } : [];
    });
    const uncertain = worthAsking.filter(({ isCertain }) => !isCertain);
    const affordable = worthAsking.filter(({ isCertain }) => isCertain).slice(0, budget);
    const asked = [...uncertain, ...affordable].map(({ due }) => due);
    if (asked.length === 0) return page;
    const options = { budget: asked.length, deadline: patienceMs, signal };
    const seen = (await this.#check.check(asked, options)).filter(({ outcome }) => outcome !== 'unchecked');
    const paidFor = new Set(affordable.map(({ due }) => due.url));
    this.#budget -= seen.filter(({ url }) => paidFor.has(url)).length;
    await saveRemoteFiles(database, lease.sourceId, seen);
    return { ...page, asked: new Set(seen.map(({ url }) => url)) };
  }
}

interface Candidate {
  readonly file: SourceFile;
  readonly due: DueFile;
}

function candidatesOf(page: MappedPage, rules: FileRules, now: string): Map<string, Candidate> {
  const found = new Map<string, Candidate>();
  for (const { files, speaksFor } of page.items) {
    const origin = speaksFor.files;
    if (!origin || files.length === 0) continue;
    const stated = files.map((file) => ({ ...file, origin }));
    const urls = new Set(chooseFiles(stated, () => undefined, rules, now).candidates);
    for (const file of files) {
      const { url, mediaType, length, hash } = file;
      const due: DueFile = { url, outcome: 'unchecked', failures: 0, stated: { mediaType, length, hash } };
      // Those that the repository itself says are open are asked for when they are published.
      if (urls.has(url) && !isTrusted({ ...file, origin }, rules)) found.set(url, { file, due });
    }
  }
  return found;
}
