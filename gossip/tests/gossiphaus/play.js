// One game that plays through the real gossiphaus client, unmodified. It takes orders as lines of
// JSON on its standard input and writes what happens as lines of JSON on its standard output, so
// that a test can wait for each event. It ends with its standard input.

const readline = require('readline')
const gossip = require('gossiphaus')

const say = (what) => process.stdout.write(JSON.stringify(what) + '\n')

let emitter

const orders = {
  init(config) {
    emitter = gossip.init(config)
    emitter.on('error', (error) => say({ event: 'error', error: error.message }))
    emitter.on('channels/broadcast', (payload) => say({ event: 'channels/broadcast', payload }))
    emitter.on('tells/receive', (payload) => say({ event: 'tells/receive', payload }))
    return {}
  },
  connect: () => gossip.connect(),
  close: () => gossip.close(),
  send: ({ event, payload }) => gossip.send(event, payload),
  addPlayer: (name) => gossip.addPlayer(name),
  removePlayer: (name) => gossip.removePlayer(name),
  isAlive: () => gossip.isAlive(),
  games: () => gossip.games,
  findPlayer: (name) => gossip.findPlayer(name)
}

readline.createInterface({ input: process.stdin }).on('line', async (line) => {
  const { id, order, argument } = JSON.parse(line)
  try {
    say({ id, result: (await orders[order](argument)) ?? null })
  } catch (error) {
    say({ id, error: error.message })
  }
}).on('close', () => process.exit(0))
