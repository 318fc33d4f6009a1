import { setTimeout as sleep } from 'node:timers/promises';
import { print } from '../once/processes.ts';

/**
 * `flood BASE TOPIC PLACES`: somebody who has a hub call whom they like: 200 subscriptions a second are asked for, each by another client, at
 * callbacks that never answer. `flood BASE`: a client that asks for `/livez` fifty times a second. A message ends it, and a line says what
 * was answered, or how long that took before and after a message in between.
 */
const [base = '', topic = '', places = ''] = process.argv.slice(2);
const callbacks = places.split(',');
const took: number[][] = [[]];
const answers = new Map<number, number>();
/** Whoever waits for answers asks no faster than they come. */
const mostOpen = 50;
let open = 0;
let isOver = false;

async function probe(): Promise<void> {
  const into = took.at(-1);
  const began = performance.now();
  await (await fetch(`${base}/livez`)).arrayBuffer();
  into?.push(performance.now() - began);
}

async function ask(index: number): Promise<void> {
  if (open >= mostOpen) return;
  open += 1;
  const callback = `http://${callbacks[index % callbacks.length]}/flood/${index}`;
  const client = `198.51.${(index >> 8) & 255}.${index & 255}`;
  const answer = await fetch(`${base}/hub`, {
    method: 'POST',
    headers: { 'x-forwarded-for': client },
    body: new URLSearchParams({ 'hub.mode': 'subscribe', 'hub.topic': topic, 'hub.callback': callback }),
  }).finally(() => {
    open -= 1;
  });
  await answer.arrayBuffer();
  answers.set(answer.status, (answers.get(answer.status) ?? 0) + 1);
}

const p99 = (all: readonly number[]) => {
  const sorted = [...all].sort((a, b) => a - b);
  return Math.round((sorted[Math.floor((sorted.length - 1) * 0.99)] ?? -1) * 10) / 10;
};

process.on('message', (message) => {
  if (message === 'end') isOver = true;
  else took.push([]);
});
print({ ready: true });
for (let index = 0; !isOver; index += 1) {
  const work = topic === '' ? [probe()] : [0, 1, 2, 3].map((more) => ask(index * 4 + more));
  for (const one of work) one.catch(() => undefined);
  await sleep(20);
}
print(topic === '' ? { livezP99Ms: took.map(p99) } : { answers: Object.fromEntries(answers) });
process.exit();
