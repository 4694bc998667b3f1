package machine

func (c *compiler) warn() {}
