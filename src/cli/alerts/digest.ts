import { randomUUID } from 'node:crypto';
import { Channels, speakerOf } from '../../bridge/alerts/channels.ts';
import { readDigests } from '../../bridge/alerts/digest-content.ts';
import { wordDigest } from '../../bridge/alerts/digest-wording.ts';
import { sharedLinks } from '../../bridge/alerts/shared-links.ts';
import { loadConfig } from '../../bridge/config/load-config.ts';
import { openStored } from '../../bridge/stored-bridge.ts';
import { suggest } from '../../core/config/suggestion.ts';
import { countOf } from '../../core/count-of.ts';
import { BridgeError, failure } from '../../core/errors.ts';
import { revokeShareLinks } from '../../store/alerts/share-links.ts';
import { lookAtClock } from '../../store/runs/clock-ahead.ts';
import { noteCommand } from '../terminal/actor.ts';
import { exitCodes } from '../terminal/exit-codes.ts';
import { type CommandIo, printResult } from '../terminal/io.ts';
import type { AlertFlags } from './test-alerts.ts';

/** The mail that whoever looks after a source gets each week: printed, or sent at once; or the links in all of them ended. */
export async function digestCommand(
  source: string,
  { dryRun, revoke, ...flags }: AlertFlags & { readonly dryRun: boolean; readonly revoke: boolean },
  io: CommandIo,
): Promise<number> {
  const bridge = await openStored(loadConfig(flags, io.env, io.cwd), 'migrate');
  try {
    const { config, database } = bridge;
    const settings = config.sources[source];
    if (!settings)
      throw new BridgeError(
        'unknown-source',
        `there is no source "${source}"${suggest(source, Object.keys(config.sources))}`,
      );
    if (revoke) {
      const revoked = await revokeShareLinks(database, source);
      await noteCommand(bridge, 'ended shared links', source);
      printResult(io, flags.json, { source, revoked }, `${countOf(revoked, 'link')} to ${source} ended`);
      return exitCodes.ok;
    }
    if (settings.digestTo === undefined)
      throw new BridgeError(
        'usage',
        `nobody is told of ${source}; write sources.${source}.digestTo, or type: rsbridge sources edit ${source} --set digestTo=ADDRESS`,
      );
    const [digest] = await readDigests(bridge, await lookAtClock(database), [source]);
    if (!digest) throw new BridgeError('usage', `nobody is told of ${source}`);
    const { to, language } = digest;
    const from = config.mail?.from ?? to;
    const { subject, text } = wordDigest(digest, speakerOf(config), from);
    if (dryRun) {
      printResult(
        io,
        flags.json,
        { to, language, subject, text },
        `To: ${to}\nSubject: ${subject}\n\n${text}`,
      );
      return exitCodes.ok;
    }
    const channels = new Channels(config, Date.now, sharedLinks(bridge));
    try {
      await channels.send({ id: randomUUID(), channel: 'mail', content: digest });
      printResult(io, flags.json, { to, sent: true }, `sent to ${to}`);
      return exitCodes.ok;
    } catch (error) {
      const { code, reason } = failure(error);
      printResult(
        io,
        flags.json,
        { to, sent: false, code, reason },
        `not sent to ${to}: ${reason} [${code}]`,
      );
      return exitCodes.upstream;
    } finally {
      channels.close();
    }
  } finally {
    await bridge.close();
  }
}
