// pubsubhubbub (npm) as somebody who follows a channel: one line for each thing that happens to it.
const [, , module_, topic, hub, port] = process.argv;
const subscriber = require(module_).createServer({ callbackUrl: `http://127.0.0.1:${port}/callback` });
const say = (event) => process.stdout.write(`${JSON.stringify(event)}\n`);
subscriber.on('listen', () =>
  subscriber.subscribe(topic, hub, (error) => say({ event: 'asked', error: error?.message })),
);
for (const event of ['subscribe', 'unsubscribe', 'denied'])
  subscriber.on(event, (data) => say({ event, topic: data.topic, lease: data.lease }));
subscriber.on('feed', (data) => say({ event: 'told', hub: data.hub, body: data.feed.toString() }));
process.stdin.on('data', () => subscriber.unsubscribe(topic, hub, () => undefined));
subscriber.listen(Number(port), '127.0.0.1');
