import { addSeconds, toIso } from '../../core/datetime.ts';
import type { DraftChoices, DraftFound } from '../../core/drafts/source-draft.ts';
import { BridgeError, describeError, failure, isBridgeError, refusal } from '../../core/errors.ts';
import { redact } from '../../core/secrets.ts';
import { createHostGate } from '../../harvest/http/host-gate.ts';
import type { NewSourceActs } from '../../server/deps.ts';
import { addDraft, changeDraft, type Draft, type DraftNews, findDraft } from '../../store/admin/drafts.ts';
import { primaryOf } from '../../store/admin/primary.ts';
import type { Bridge } from '../bridge.ts';
import { parseAddress } from '../finding/find-any.ts';
import { SearchBudget } from '../finding/search-budget.ts';
import { protocols } from '../protocols.ts';
import { addKept, refuseUnusable } from '../sources/kept-source-acts.ts';
import { refuseTaken } from '../sources/new-source.ts';
import { noteAct } from '../sources/source-acts.ts';
import { chosenSource, propose } from './proposal.ts';
import { readSample, readTrial } from './sample.ts';
import { withTriedSource } from './tried-source.ts';

/** Of one process. */
const atOnce = 2;
const lookMs = 180_000;
const trialMs = 120_000;
/** Its turn and its work together; somebody who worked on it for longer has died. */
const busySeconds = 600;
const tellEveryMs = 1000;

export interface DraftActs extends NewSourceActs {
  /** Gives up what is under way; resolves when that is written down. */
  close(): Promise<void>;
}

/**
 * Adds sources step by step, in this process: what is at an address, how it would be published, and then it is kept. Each
 * step is written into the database, so that any process can be asked for it.
 */
export function createDraftActs(bridge: Bridge): DraftActs {
  const { config, database, clock, log } = bridge;
  const turns = createHostGate();
  const ended = new AbortController();
  const underWay = new Set<Promise<void>>();
  const now = () => toIso(clock.now());
  const busyUntil = () => addSeconds(now(), busySeconds);
  const write = (id: number, news: DraftNews) => changeDraft(database, id, news, now());

  async function inTurn(id: number, work: (signal: AbortSignal) => Promise<DraftNews>): Promise<void> {
    const { signal } = ended;
    try {
      const leave = await turns.enter('drafts', atOnce, signal);
      try {
        await write(id, await work(signal));
      } finally {
        leave();
      }
    } catch (error) {
      if (!isBridgeError(error) && !signal.aborted)
        log.error(failure(error), 'a source could not be looked at');
      await write(id, { state: 'failed', ...troubleOf(error, signal) });
    }
  }

  function begin(id: number, work: (signal: AbortSignal) => Promise<DraftNews>): void {
    const done: Promise<void> = inTurn(id, work)
      .catch((error: unknown) => log.error(failure(error), 'the draft of a source could not be written'))
      .finally(() => underWay.delete(done));
    underWay.add(done);
  }

  /** How far it is, for whoever waits; not each of hundreds of requests. */
  function teller(id: number): (url: string) => void {
    let asked = 0;
    let told = 0;
    return (url) => {
      asked += 1;
      const at = performance.now();
      if (asked > 1 && at - told < tellEveryMs) return;
      told = at;
      const news = { state: 'looking', message: redact(`${asked} ${url}`), busyUntil: busyUntil() } as const;
      changeDraft(database, id, news, now(), ['waiting', 'looking']).catch(() => undefined);
    };
  }

  async function chosen(id: number, choices: DraftChoices) {
    const draft = await existing(id);
    if (draft.found === undefined || draft.state === 'saved') throw refusal('usage', 'nothing-found-yet', {});
    const source = chosenSource(draft.found, choices, config.groups);
    refuseTaken(bridge, source.name);
    refuseUnusable(source, bridge);
    return source;
  }

  async function existing(id: number): Promise<Draft & { readonly found: DraftFound | undefined }> {
    const draft = await findDraft(primaryOf(database), id);
    if (!draft) throw refusal('not-found', 'draft-unknown', {});
    return draft;
  }

  return {
    groups: () => Object.keys(config.groups),
    look: async ({ address: given, adapter, group }, by) => {
      const address = given.trim();
      parseAddress(address);
      if (adapter !== undefined && !protocols.some((one) => one === adapter))
        throw refusal('usage', 'protocol-unknown', { names: protocols.join(', ') });
      if (group !== undefined && !Object.hasOwn(config.groups, group))
        throw refusal('usage', 'group-unknown', { name: group });
      const wanted = { ...(adapter && { adapter }), ...(group && { group }) };
      const id = await addDraft(database, { address, choices: wanted, who: by.who }, now());
      await write(id, { busyUntil: busyUntil() });
      await noteAct(bridge, by, 'looked for a source', address);
      begin(id, async (signal) => {
        const found = await new SearchBudget(lookMs).spend(
          parseAddress(address).href,
          lookMs,
          signal,
          (_deadline, inTime) => propose(bridge, address, wanted, { signal: inTime, asked: teller(id) }),
        );
        return { state: 'found', found };
      });
      return id;
    },
    trial: async (id, choices, by) => {
      const source = await chosen(id, choices);
      const news = { state: 'trying', choices, busyUntil: busyUntil() } as const;
      if (!(await changeDraft(database, id, news, now(), ['found', 'tried', 'failed'])))
        throw refusal('usage', 'looked-at-already', {});
      await noteAct(bridge, by, 'tried a source', `${source.name} ${String(source.settings.url)}`);
      begin(id, async (signal) => {
        const { name, settings } = source;
        const budget = new SearchBudget(trialMs);
        const sample = await readTrial((files) =>
          withTriedSource(
            bridge,
            { name, settings: files === 'with' ? settings : { ...settings, files: { mode: 'none' } } },
            (adapter) =>
              budget.spend(String(settings.url), trialMs, signal, (_deadline, inTime) =>
                readSample(adapter, inTime),
              ),
          ),
        );
        return { state: 'tried', trial: { choices, ...sample } };
      });
    },
    keep: async (id, choices, by) => {
      const source = await chosen(id, choices);
      await addKept(bridge, source, by);
      await write(id, { state: 'saved', choices, source: source.name });
      return source.name;
    },
    close: async () => {
      ended.abort(new BridgeError('interrupted', 'the process that worked on it has ended'));
      await Promise.all(underWay);
    },
  };
}

function troubleOf(error: unknown, ended: AbortSignal): { readonly code: string; readonly message: string } {
  if (ended.aborted) return { code: 'interrupted', message: 'the process that worked on it has ended' };
  if (!isBridgeError(error))
    return { code: 'internal', message: 'a defect of the bridge; its log says more' };
  return { code: error.code, message: redact(describeError(error)) };
}
