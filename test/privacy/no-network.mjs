/**
 * Loaded in front of a program (`node --import`): whatever it asks of a network fails, and is counted. With `--first` behind
 * the program, the first of it is printed, and ends the program: what is tried again takes its time.
 */
import dgram from 'node:dgram'
import dns from 'node:dns'
import net from 'node:net'

/** What was asked for. */
export const attempts = []

function refuse(name) {
  return () => {
    if (process.argv.includes('--first')) {
      process.stdout.write(name)
      process.exit()
    }
    attempts.push(name)
    throw Object.assign(new Error('there is no network'), { code: 'ENETUNREACH' })
  }
}

net.Socket.prototype.connect = refuse('connect')
net.Server.prototype.listen = refuse('listen')
dgram.createSocket = refuse('datagram')
for (const owner of [dns, dns.promises, dns.Resolver.prototype, dns.promises.Resolver.prototype]) {
  for (const name of Object.getOwnPropertyNames(owner)) {
    if (/^(lookup|resolve|reverse)/.test(name)) owner[name] = refuse('name')
  }
}
