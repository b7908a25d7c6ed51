// This program has one streamed answer through OpenAI's own client for JavaScript, and prints the processor
// time that it took in microseconds, and the number of its deltas.
import OpenAI from 'openai'

const client = new OpenAI({ baseURL: process.argv[2], apiKey: 'none' })
const before = process.cpuUsage()
let n = 0
for await (const event of await client.responses.create({ model: 'gpt-5.5', input: 'hi', stream: true })) {
  if (event.type === 'response.output_text.delta') n++
}
const used = process.cpuUsage(before)
console.log(used.user + used.system, n)
