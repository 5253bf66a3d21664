/** Addresses with a secret in each of the places where one can stand. */
export const secret = 's3cr3tpw'

export const addresses: readonly string[] = [
  `mysql://bob:${secret}@db.example/db`,
  `postgres://bob:${secret}@127.0.0.1:1/db`,
  `postgresql://h/db?user=bob&password=${secret}&sslmode=require`,
  `redis://:${secret}@h`,
  `mongodb+srv://bob:a ${secret}@h/db?w=majority`,
  `amqp://bob:${secret}/a?b#c@d@h`,
  `mysql://bob:${secret}"'@h`,
  `https://${secret}@github.example/x.git`,
  `https://bob:${secret}@proxy.example:8080/v1`,
  `http://bob:1/${secret}x@h:80/v1`.replace('1/', 'a1/'),
  `http://localhost:11434/v1?api_key=${secret}`,
  `https://h/v1?a=b&key=${secret}&c=d`,
  `https://h/v1;sig=${secret}`,
  `https://h/v1?X-Amz-Security-Token=${secret}&X-Amz-Signature=${secret}`,
  `https://h/v1?access_token=${secret}#top`,
  `host=h user=bob password=${secret} dbname=x`,
  `host=h password = 'it\\'s ${secret}' dbname=x`,
  `host=h sslpassword='it''s ${secret}'`,
  `Server=h;Uid=bob;Pwd=${secret};`,
  `jdbc:postgresql://h/db?user=bob&password=${secret}`,
  `postgres:host=h password="${secret} x"`,
]
