import { EventEmitter, getEventListeners } from 'node:events';
import { afterEach, beforeEach, expect, it, onTestFinished } from 'vitest';
import { catchSignals } from '../../../src/bridge/signals.ts';
import { eitherOf } from '../../../src/core/either-signal.ts';
import { createHostGate } from '../../../src/harvest/http/host-gate.ts';

let warnings: Error[];
const note = (warning: Error) => warnings.push(warning);

beforeEach(() => {
  warnings = [];
  process.on('warning', note);
});
afterEach(() => process.off('warning', note));

/** Node tells of warnings in the next turn. */
const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

function openSignals() {
  const signals = catchSignals({ process: new EventEmitter(), exit: () => {}, heard: () => {} });
  onTestFinished(() => signals.release());
  return signals;
}

it.each(['the signal of the process', 'one made of it'])(
  'has room for hundreds who wait on %s',
  async (which) => {
    const { stop, abort } = openSignals();
    const signal = which === 'one made of it' ? eitherOf(stop, abort) : stop;
    const gate = createHostGate();
    const leave = await gate.enter('harvests', 1, signal);
    let entered = 0;
    const waiting = Array.from({ length: 300 }, async () => {
      const next = await gate.enter('harvests', 1, signal);
      entered += 1;
      next();
    });
    expect(getEventListeners(signal, 'abort').length).toBe(300);
    leave();
    await Promise.all(waiting);
    await nextTurn();
    expect(entered).toBe(300);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
    expect(warnings).toEqual([]);
  },
);

it('leaves no listener behind of those who give up', async () => {
  const gate = createHostGate();
  const signal = new AbortController();
  const leave = await gate.enter('a', 1, signal.signal);
  const waiting = Array.from({ length: 5 }, () => gate.enter('a', 1, signal.signal));
  signal.abort(new Error('enough'));
  const settled = await Promise.allSettled(waiting);
  expect(settled.map(({ status }) => status)).toEqual(Array(5).fill('rejected'));
  expect(getEventListeners(signal.signal, 'abort')).toEqual([]);
  leave();
  (await gate.enter('a', 1, new AbortController().signal))();
});
