import { toIso } from '../../core/datetime.ts';
import { refusal } from '../../core/errors.ts';
import { parseMoment } from '../../core/time/moment-text.ts';

const days = ['sunday', 'monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday'];
const japaneseDays = '日月火水木金土';

/**
 * When a pause ends, as ISO: a moment, or the beginning of the next day of a name (UTC).
 * @throws BridgeError `usage` where it is neither, or has passed
 */
export function pauseEnd(text: string, now: Date): string {
  const moment = nextDay(text, now) ?? parseMoment(text);
  if (moment === undefined) throw refusal('usage', 'time-unreadable', { text });
  if (moment <= toIso(now)) throw refusal('usage', 'time-has-passed', { time: moment });
  return moment;
}

function nextDay(name: string, now: Date): string | undefined {
  const [, japanese] = /^(.)曜日?$/.exec(name.trim()) ?? [];
  const day =
    japanese === undefined ? days.indexOf(name.trim().toLowerCase()) : japaneseDays.indexOf(japanese);
  if (day < 0) return undefined;
  const ahead = (day - now.getUTCDay() + 7) % 7 || 7;
  return toIso(new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth(), now.getUTCDate() + ahead)));
}
